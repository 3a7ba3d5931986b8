"""Names of nodes, stores and topics, numbered exactly as by Java's builder.

One counter for each `StreamsBuilder`. An operator that the user names still uses up the number that
it would have had, so that naming one operator does not rename the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.errors import TopologyError, user_location

_MAX_LENGTH = 249
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class NameCounter:
    """Returns `PREFIX-0000000000`, `PREFIX-0000000001`, ..."""

    def __init__(self) -> None:
        self._next = 0

    def processor(self, prefix: str) -> str:
        """Return the next name with that prefix."""
        name = f"{prefix}{self._next:010d}"
        self._next += 1
        return name

    def store(self, prefix: str) -> str:
        """Return the next name of a store with that prefix."""
        return self.processor(f"{prefix}STATE-STORE-")

    def named_or_next(self, name: str | None, prefix: str) -> str:
        """Return the user's `name` or the next one; either way a number is used up."""
        generated = self.processor(prefix)
        return generated if name is None else name


class GeneratedNames:
    """Names that the user did not give, each with the user's line of its verb."""

    def __init__(self) -> None:
        self._places: dict[str, str | None] = {}

    def append(self, name: str) -> None:
        """Add a name of the verb that the user is writing now."""
        self._places.setdefault(name, user_location())

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def place(self, name: str) -> str:
        """Return the user's file:line."""
        return self._places[name] or "an unknown place"


def check_name(name: str, what: str = "name") -> str:
    """Return `name` if Kafka allows it for nodes, stores and topics; else raise TopologyError."""
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
