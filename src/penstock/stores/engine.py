"""Where state lives: the contract of a store's engine, and how to bring one of your own.

RocksDB and memory are built in; an engine of your own is a class with the methods of `StoreEngine`.
It is named where the store is, and each task that has the store opens one:

```python
Materialized("counts", store=MyEngine)  # MyEngine(place) is called
Materialized("counts", store=functools.partial(MyEngine, url="..."))  # MyEngine(place, url="...")
Stores.session_store("visits", retention=..., key=..., value=..., store=MyEngine)
```

It serves stores of every kind, under the test driver as on Spark, and is asked for bytes only:
serdes, caches, changelogs, windows and what is not committed yet are the layers above it. The
class, or the partial, is pickled to get to Spark's workers; connections are made when a place is
opened.

What an engine holds is a copy of the changelog. It may lose everything: then it returns None as its
offset and the store is restored. It must not lose or keep a part.

A small one, on the database that comes with Python; it only lacks what to raise once it is closed.
examples/redis_store.py is a whole one:

>>> import sqlite3
>>> from penstock.stores import StoreEngine
>>> class SqliteEngine(StoreEngine):
...     def __init__(self, place):
...         place.directory.mkdir(parents=True, exist_ok=True)
...         self._rows = sqlite3.connect(place.directory / "state", check_same_thread=False)
...         self._rows.execute("create table if not exists entry (key blob primary key, value)")
...         self._rows.execute("create table if not exists offset (at text)")
...     def get(self, key):
...         found = self._rows.execute("select value from entry where key = ?", [key]).fetchone()
...         return found[0] if found else None
...     def scan(self, start, end, *, reverse):
...         order = "desc" if reverse else "asc"
...         rows = "select * from entry where key >= ?1 and (?2 is null or key < ?2) order by key"
...         return iter(self._rows.execute(f"{rows} {order}", [start or b"", end]).fetchall())
...     def approximate_num_entries(self):
...         return self._rows.execute("select count(*) from entry").fetchone()[0]
...     def write(self, changes, changelog_offset, dropped=()):
...         with self._rows as rows:  # one transaction
...             rows.executemany("delete from entry where key = ?", [[key] for key in changes])
...             puts = [entry for entry in changes.items() if entry[1] is not None]
...             rows.executemany("insert into entry values (?, ?)", puts)
...             rows.executemany("delete from entry where key >= ? and key < ?", dropped)
...             if changelog_offset is not None:
...                 rows.execute("delete from offset")
...                 rows.execute("insert into offset values (?)", [str(changelog_offset)])
...     def changelog_offset(self):
...         found = self._rows.execute("select at from offset").fetchone()
...         return int(found[0]) if found else None
...     def close(self):
...         self._rows.close()

>>> from penstock import Consumed, Grouped, Materialized, StreamsBuilder, serdes
>>> from penstock.testing import TopologyTestDriver
>>> builder, text = StreamsBuilder(), serdes.string()
>>> words = builder.stream("words", Consumed(text, text)).group_by_key(Grouped("w", text, text))
>>> words.count(Materialized("counts", store=SqliteEngine)).to_stream().to("counts")
>>> with TopologyTestDriver(builder.build()) as driver:
...     for word in ("sea", "stream", "sea"):
...         driver.create_input_topic("words", text, text).pipe_input(word, "")
...     driver.create_output_topic("counts", text, serdes.long()).read_key_values()
[('sea', 1), ('stream', 1), ('sea', 2)]
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

__all__ = ["BytesReader", "KeyRange", "OpenEngine", "StoreEngine", "StorePlace"]

KeyRange: TypeAlias = tuple[bytes, bytes]
"""From the first key (included) to the second (excluded).

>>> from penstock.stores import KeyRange
>>> every_key_with_a: KeyRange = (b"a", b"b")
"""


@dataclass(frozen=True, slots=True)
class StorePlace:
    """Whose state an engine is to hold: that of one store of one task of one application.

    >>> from pathlib import Path
    >>> from penstock.stores import StorePlace
    >>> StorePlace("shop", "0_1", "counts", Path("state")).task_id
    '0_1'
    """

    application_id: str
    task_id: str
    """`0_1`: sub-topology 0, partition 1; `global_...` for a worker's copy of a global table."""
    store: str
    directory: Path
    """A directory for this store alone, on the machine of the worker; it is not made. The host lets
    one worker use it at a time, and deletes it where it deletes local state.
    """


class BytesReader(Protocol):
    """An ordered map of bytes that can be read."""

    @abstractmethod
    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, None if it has none."""
        raise NotImplementedError

    @abstractmethod
    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        """Return the entries from `start` (included) to `end` (excluded), None for no bound,
        ordered by the unsigned bytes of their keys; a shorter key is before those that begin with
        it.

        The entries are those of now: changes made while the caller iterates are not seen.
        """
        raise NotImplementedError

    def collect(self, start: bytes, end: bytes) -> list[tuple[bytes, bytes]]:
        """Return the entries of `scan` as a list: faster if there are few of them."""
        return list(self.scan(start, end, reverse=False))

    @abstractmethod
    def approximate_num_entries(self) -> int:
        """Return the approximate number of entries."""
        raise NotImplementedError


class StoreEngine(BytesReader, Protocol):
    """Where committed state lives. It changes only in whole commits, each with its offset.

    After a kill at any moment it holds exactly what one of its `write` calls left, offset included.
    One thread writes and closes, any may read; what is used after `close` raises StateClosedError.
    A scan that still runs when the engine is closed ends with StateClosedError.

    Keys and values may be empty. A subclass of this class need not write `collect`.

    An engine that keeps its state elsewhere than in `place.directory` has two more duties. A worker
    that was believed dead may wake up after its task has moved: once a place has been opened again,
    `write` of the engine that had it before must raise StateLockedError. And it needs a method
    `destroy()`, which deletes all that is at its place and closes the engine: the test driver calls
    it at its end, and so does `KafkaStreams.clean_up`.
    """

    @abstractmethod
    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange] = (),
    ) -> None:
        """Apply changes (None deletes), then drop all keys of some ranges, and remember the offset
        (None: leave it), all or nothing. An offset may have more than 64 bits.
        """
        raise NotImplementedError

    @abstractmethod
    def changelog_offset(self) -> int | None:
        """Return the changelog offset up to which this state is complete, None if unknown."""
        raise NotImplementedError

    @abstractmethod
    def close(self) -> None:
        """Release everything; a second call does nothing."""
        raise NotImplementedError


OpenEngine: TypeAlias = Callable[[StorePlace], StoreEngine]
"""Opens the engine of a place: an engine's class, or a partial of it.

>>> Materialized("counts", store="in_memory").store  # or store=MyEngine, see above
'in_memory'
"""
