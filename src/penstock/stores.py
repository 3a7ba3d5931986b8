"""State stores: what a processor may keep, and how to ask for one.

```python
counts = Stores.in_memory_key_value_store("counts", key=serdes.string(), value=serdes.long())
builder.add_state_store(counts)
stream.process(Counter, state_stores=["counts"])  # it calls context.get_state_store("counts")
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from penstock.serdes import Serde

K = TypeVar("K")
V = TypeVar("V")


class KeyValueStore(Protocol[K, V]):
    """A map from keys to values, sorted by the bytes of the serialized key. Java: KeyValueStore."""

    @property
    def name(self) -> str: ...

    def get(self, key: K) -> V | None:
        """Give the value of `key`, or None."""

    def put(self, key: K, value: V | None) -> None:
        """Set the value of `key`; None deletes it."""

    def put_if_absent(self, key: K, value: V) -> V | None:
        """Set the value of `key` if it has none; give the one it had."""

    def put_all(self, entries: Iterable[tuple[K, V | None]]) -> None:
        """Set several."""

    def delete(self, key: K) -> V | None:
        """Delete `key` and give the value it had."""

    def range(self, start: K | None, end: K | None) -> Iterator[tuple[K, V]]:
        """Give the entries from `start` to `end`, both included, None for no bound."""

    def reverse_range(self, start: K | None, end: K | None) -> Iterator[tuple[K, V]]:
        """Give the entries of `range`, last first."""

    def all(self) -> Iterator[tuple[K, V]]:
        """Give all entries."""

    def reverse_all(self) -> Iterator[tuple[K, V]]:
        """Give all entries, last first."""

    def prefix_scan(self, prefix: bytes) -> Iterator[tuple[K, V]]:
        """Give the entries whose serialized key begins with `prefix`."""

    def approximate_num_entries(self) -> int:
        """Give about how many entries there are."""


@dataclass(frozen=True, slots=True)
class StoreBuilder:
    """How to make a store; got from `Stores`. Java: StoreBuilder."""

    name: str
    key: Serde[Any]
    value: Serde[Any]
    logged: bool = True
    """Whether each change is also written to a changelog topic, from which the store can be
    restored.
    """


class Stores:
    """The kinds of stores. Java: Stores."""

    @staticmethod
    def in_memory_key_value_store(
        name: str, *, key: Serde[Any], value: Serde[Any], logged: bool = True
    ) -> StoreBuilder:
        """Ask for a key-value store that lives in memory."""
        return StoreBuilder(name, key, value, logged)
