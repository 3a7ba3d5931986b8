"""State stores: what a processor may keep, and how to ask for one.

```python
counts = Stores.in_memory_key_value_store("counts", key=serdes.string(), value=serdes.long())
builder.add_state_store(counts)
stream.process(Counter, state_stores=["counts"])  # it calls context.get_state_store("counts")
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, get_args

from penstock.errors import TopologyError
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


class ValueAndTimestamp(NamedTuple, Generic[V]):
    """A value and the time of the record that made it. Java: ValueAndTimestamp."""

    value: V
    timestamp: int


class TimestampedKeyValueStore(KeyValueStore[K, ValueAndTimestamp[V]], Protocol[K, V]):
    """A map from keys to values with their times: what tables and aggregates are kept in. Java:
    TimestampedKeyValueStore.
    """


class TopicPartition(NamedTuple):
    """A partition of a topic. Java: TopicPartition."""

    topic: str
    partition: int


class StateRestoreListener:
    """Hears how stores are brought up to date from their changelogs, store by store and partition
    by partition; override what you want to hear. Java: StateRestoreListener.
    """

    def on_restore_start(
        self,
        topic_partition: TopicPartition,
        store_name: str,
        starting_offset: int,
        ending_offset: int,
    ) -> None:
        """A store begins to be restored; one that is up to date already ends at once."""

    def on_batch_restored(
        self,
        topic_partition: TopicPartition,
        store_name: str,
        batch_end_offset: int,
        num_restored: int,
    ) -> None:
        """So many changes are in the store now, and it is complete up to that offset."""

    def on_restore_end(
        self, topic_partition: TopicPartition, store_name: str, total_restored: int
    ) -> None:
        """The store is up to date."""

    def on_restore_suspended(
        self, topic_partition: TopicPartition, store_name: str, total_restored: int
    ) -> None:
        """The task went to another worker before the store was up to date."""


StoreEngine: TypeAlias = Literal["rocksdb", "in_memory"]
StoreKind: TypeAlias = Literal["key_value", "timestamped_key_value"]
Logging: TypeAlias = bool | Mapping[str, str]
"""Whether a store has a changelog topic; a mapping holds settings of that topic."""


@dataclass(frozen=True, slots=True)
class StoreBuilder:
    """How to make a store; got from `Stores`. Java: StoreBuilder."""

    name: str
    key: Serde[Any] | None
    """None, as only tables and aggregates may have it, means the default serde."""
    value: Serde[Any] | None
    logged: bool = True
    """Whether each change is also written to a changelog topic, from which the store can be
    restored.
    """
    kind: StoreKind = field(default="key_value", repr=False)
    engine: StoreEngine = field(default="in_memory", repr=False)
    cached: bool = field(default=False, repr=False)
    changelog_settings: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Settings of the changelog topic."""


class Stores:
    """The kinds of stores. Java: Stores.

    `logging` is True, False, or the settings of the changelog topic. With `caching` several changes
    of a key become one in the store and in the changelog, made at the next commit.
    """

    @staticmethod
    def in_memory_key_value_store(
        name: str,
        *,
        key: Serde[Any],
        value: Serde[Any],
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store that lives in memory."""
        return store_builder(name, key, value, caching=caching, logging=logging)

    @staticmethod
    def persistent_key_value_store(
        name: str,
        *,
        key: Serde[Any],
        value: Serde[Any],
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store that lives on disk, in RocksDB."""
        return store_builder(name, key, value, engine="rocksdb", caching=caching, logging=logging)

    @staticmethod
    def timestamped_key_value_store(
        name: str,
        *,
        key: Serde[Any],
        value: Serde[Any],
        store: StoreEngine = "rocksdb",
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a store that keeps a time with each value, as those of tables do."""
        return store_builder(
            name,
            key,
            value,
            kind="timestamped_key_value",
            engine=store,
            caching=caching,
            logging=logging,
        )


def store_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    kind: StoreKind = "key_value",
    engine: StoreEngine = "in_memory",
    caching: bool = False,
    logging: Logging = True,
) -> StoreBuilder:
    """Make a builder of what the user said."""
    check_engine(engine)
    check_logging(logging)
    settings = dict(logging) if isinstance(logging, Mapping) else {}
    return StoreBuilder(name, key, value, logging is not False, kind, engine, caching, settings)


def check_engine(engine: object) -> None:
    """Refuse anything but the engines there are."""
    if engine not in get_args(StoreEngine):
        known = " or ".join(map(repr, get_args(StoreEngine)))
        msg = f"a store must live in {known}; got {engine!r}"
        raise TopologyError(msg)


def check_logging(logging: object) -> None:
    """Refuse anything but yes, no, and the settings of a changelog topic."""
    if isinstance(logging, bool):
        return
    if not isinstance(logging, Mapping):
        msg = f"logging must be True, False or the changelog topic's settings; got {logging!r}"
        raise TopologyError(msg)
    for key, value in logging.items():
        if not isinstance(key, str) or not isinstance(value, str):
            msg = f"a changelog topic's settings must be str: str; got {key!r}: {value!r}"
            raise TopologyError(msg)
