"""Names of nodes, stores and topics, numbered exactly as by Java's builder.

One counter for each `StreamsBuilder`. An operator that the user names still uses up the number that
it would have had, so that naming one operator does not rename the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.errors import user_location


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
