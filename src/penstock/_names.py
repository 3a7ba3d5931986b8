"""Which names Kafka allows for nodes, stores and topics."""

from __future__ import annotations

from penstock.errors import TopologyError

_MAX_LENGTH = 249
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


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
