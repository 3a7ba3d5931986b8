"""Names and their numbers, exactly as Java's builder counts them.

One counter per `StreamsBuilder`. A name the user gives still burns the number its operator would
have had, so that naming one operator does not rename the others.
"""

from __future__ import annotations

from penstock.errors import TopologyError

_MAX_LENGTH = 249
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class NameCounter:
    """Gives out `PREFIX-0000000000`, `PREFIX-0000000001`, ..."""

    def __init__(self) -> None:
        self._next = 0

    def processor(self, prefix: str) -> str:
        """Give the next name with that prefix."""
        name = f"{prefix}{self._next:010d}"
        self._next += 1
        return name

    def store(self, prefix: str) -> str:
        """Give the next name of a store with that prefix."""
        return self.processor(f"{prefix}STATE-STORE-")

    def named_or_next(self, name: str | None, prefix: str) -> str:
        """Give the user's `name` or the next one; either way a number is used up."""
        generated = self.processor(prefix)
        return generated if name is None else name


def check_name(name: str, what: str = "name") -> str:
    """Give `name` back if Kafka allows it for nodes, stores and topics; raise TopologyError if
    not.
    """
    wrong = _what_is_wrong(name)
    if wrong is not None:
        msg = f"a {what} must {wrong}"
        raise TopologyError(msg)
    return name


def _what_is_wrong(name: object) -> str | None:
    if not isinstance(name, str):
        return f"be a str; got {name!r}"
    if not name:
        return "not be empty"
    if name in {".", ".."}:
        return f"not be {name!r}"
    if len(name) > _MAX_LENGTH:
        return f"have at most {_MAX_LENGTH} characters; got {len(name)}: {name[:20]!r}..."
    strange = sorted(set(name) - _ALLOWED)
    if strange:
        return (
            f"consist of ASCII letters, digits, '.', '_' and '-'; got {name!r} with "
            f"{', '.join(map(repr, strange))}"
        )
    return None
