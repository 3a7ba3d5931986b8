"""The views of `KafkaStreams.store`. Java: ReadOnlyKeyValueStore and its kin.

`KafkaStreams.store(name)` returns one of the read-only views below. Keys and values go through the
store's serdes. Under exactly-once a view shows committed state, `uncommitted=True` also what the
open transaction has written, as Java does; under at-least-once a view shows what Java shows. An
answer is one point in time of each task. A scan reads page by page, and two tasks are not read at
the same moment.

Long because each view has an example.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.queries.answers_of_all import AnswersOfAll
from penstock._engine.queries.asking import AnsweredPart, Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.merging import PlacedRow, first_with_rows, merged
from penstock._engine.queries.questions import Part, Read, Row
from penstock._engine.queries.questions import Position as QueryPosition
from penstock._engine.runtime.stores.row_forms import form_of
from penstock._engine.runtime.stores.store_kinds import codec_of
from penstock._engine.state.codec import RowCodec
from penstock._engine.state.header_codec import end_of_headers, headers_of
from penstock.errors import QueryError
from penstock.queries.query_iterator import QueryIterator
from penstock.queries.times import to_partition, to_time
from penstock.record import Headers
from penstock.serdes import Serde
from penstock.serdes.plain import said
from penstock.settings import StreamsConfig
from penstock.stores import (
    AggregationWithHeaders,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    VersionedRecord,
)
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

if TYPE_CHECKING:
    from penstock._engine.spark.session import DataFrame, SparkSession

__all__ = [
    "QueryIterator",
    "ReadOnlyKeyValueStore",
    "ReadOnlySessionStore",
    "ReadOnlyVersionedStore",
    "ReadOnlyWindowStore",
]

_log = logging.getLogger(__name__)

# A question, and the page that answers it, must fit into a message.
_KEYS_AT_ONCE = 5000
# Of one key, without a thread: a question for each partition.
_ASKED_BESIDE_MAX = 16

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a view reads: a store, who is asked, and how."""

    store: StoreEntry
    asker: Asker
    config: StreamsConfig
    options: ReadOptions
    partition: int | None = None
    partitioner: Any = None
    codec: RowCodec = field(init=False)
    keeps_headers: bool = field(init=False)
    """Whether rows come with their headers before the value."""
    behind: dict[int, int] = field(init=False, default_factory=dict)
    """How many offsets the copy was behind that gave the last answer of a partition."""
    reached: QueryPosition = field(init=False, default_factory=dict, compare=False)
    """How far the tasks that were scanned had come: the last offset of each input partition."""

    def __post_init__(self) -> None:
        plan = self.store.plan
        object.__setattr__(self, "codec", codec_of(plan, self.config))
        object.__setattr__(self, "keeps_headers", form_of(plan.builder.kind).keeps_headers)

    @property
    def offsets_behind(self) -> int | None:
        """How far the copies that have answered were behind, all together; None if none has, or
        if only tasks that run may answer.
        """
        return sum(self.behind.values()) if self.behind else None

    @property
    def partitions(self) -> list[int]:
        return sorted(self.store.tasks) if self.partition is None else [self.partition]

    def raw_key(self, key: Any) -> bytes:
        if key is None:
            msg = f"store {self.store.name!r} has no null keys"
            raise QueryError(msg)
        try:
            return self.codec.encode_key(key)
        except Exception as error:
            msg = f"store {self.store.name!r} has no such keys as {key!r}: {_said(error)}"
            raise QueryError(msg) from error

    def raw_prefix(self, prefix: Any, serde: Serde[Any] | None) -> bytes:
        if serde is None or prefix is None:
            return prefix if isinstance(prefix, bytes) else self.raw_key(prefix)
        try:
            data = serde.serialize(self.store.name, prefix)
        except Exception as error:
            msg = f"store {self.store.name!r} has no such prefix as {prefix!r}: {_said(error)}"
            raise QueryError(msg) from error
        if data is None:
            msg = f"a prefix of keys must not be None; got {prefix!r}, which its serde makes None"
            raise QueryError(msg)
        return data

    def bound(self, key: Any) -> bytes | None:
        return None if key is None else self.raw_key(key)

    def bounds(self, first: Any, last: Any) -> tuple[bytes | None, bytes | None]:
        """Return the bounds of a range; warn of one in which nothing can be, as Java does."""
        bounds = self.bound(first), self.bound(last)
        if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
            _log.warning(
                "store %r: a range is empty, as its first key is after its last one; keys are in "
                "the order of their bytes, in which negative numbers come after all others",
                self.store.name,
            )
        return bounds

    def partition_of(self, key: Any, raw_key: bytes) -> int:
        if self.partition is not None:
            return self.partition
        try:
            return self.store.partition_of(key, raw_key, self.partitioner)
        except LookupError as error:
            raise QueryError(str(error)) from error

    def of_key(self, key: Any, read: Read) -> tuple[Row, ...]:
        """Return the rows of one key, all of them."""
        return tuple(self.rows_of_key(key, read))

    def rows_of_key(self, key: Any, read: Read) -> Iterator[Row]:
        """Return the rows of one key; pages after the first are asked for as they are read."""
        parts = self._parts_of_key(key, read)
        return first_with_rows(self.asker.pages(self.store, one, self.options) for one in parts)

    def scan_of_key(self, key: Any, read: Read) -> Iterator[Row | None]:
        """Return the rows of one key, and None before each question for more."""
        parts = self._parts_of_key(key, read)
        return first_with_rows(
            self.asker.pages_with_marks(self.store, one, self.options) for one in parts
        )

    def _parts_of_key(self, key: Any, read: Read) -> Iterator[AnsweredPart]:
        """Return the answer of the partition to which a key belongs, and those of the other ones in
        which it may be, which are asked when they are looked at.
        """
        raw = self.raw_key(key)
        place, of_key = self.partition_of(key, raw), read.of_key(raw)
        first = self._parts(of_key, [place], self.options)[place]
        return chain([first], self._parts_elsewhere(of_key, place))

    def _parts_elsewhere(self, read: Read, place: int) -> Iterator[AnsweredPart]:
        """Return the answers of the other partitions; those of tasks that are not ready are waited
        for if they are looked at, last of all.
        """
        others = self._others(place)
        answers = self._answers(read, others, self.options)
        yield from (answers[each] for each in others if answers[each].failure is None)
        waiting = _not_ready(answers)
        if waiting:
            yield from self._parts(read, waiting, self.options).values()

    def _others(self, place: int) -> list[int]:
        """Return the partitions in which a key may be that is not in its own. As Java does, which
        asks each of its tasks: other clients than Java's put keys elsewhere.
        """
        is_said = self.partition is not None or self.partitioner is not None
        return [] if is_said else self.store.elsewhere(place, self.partitions)

    def begin_get(
        self, raw_key: bytes, ended: Callable[[Part | None], None]
    ) -> Callable[[], None] | None:
        """Ask for the row of one key where it belongs without waiting, as `Asker.begin` does; None
        also if code of the user says where that is.
        """
        place = self.partition
        if place is None:
            if self.partitioner is not None or self.store.partitioner is not None:
                return None
            place = self.store.partition_of(None, raw_key)
        return self._begin_at(place, raw_key, ended)

    def begin_elsewhere(
        self, raw_key: bytes, ended: Callable[[Part | None], None]
    ) -> Callable[[], None] | None:
        """Ask the other partitions for the row of a key that is not where it belongs, as
        `begin_get` does; None if it can be in no other. `ended` gets None if one did not answer, or
        if there are many, which `of_key` asks with one question for each worker.
        """
        if self.partition is not None:
            return None
        others = self._others(self.store.partition_of(None, raw_key))
        if not others:
            return None
        drops: list[Callable[[], None]] = []
        answers = AnswersOfAll(others, ended)
        if len(others) > _ASKED_BESIDE_MAX:
            ended(None)
            others = []
        for place in others:
            take = answers.taker(place)
            drop = self._begin_at(place, raw_key, take)
            if drop is None:
                take(None)
            else:
                drops.append(drop)

        def drop_all() -> None:
            for drop in drops:
                drop()

        return drop_all

    def _begin_at(
        self, place: int, raw_key: bytes, ended: Callable[[Part | None], None]
    ) -> Callable[[], None] | None:
        one = Read("get", (raw_key,))
        return self.asker.begin(self.store, one, place, self.options, ended)

    def of_keys(self, raw_keys: Mapping[Any, bytes], read: Read) -> dict[bytes, Row]:
        """Return the row of each key that has one, by its bytes: one question to each worker for a
        few thousand keys, and others for those keys that are not where they belong.
        """
        places = {raw: self.partition_of(key, raw) for key, raw in raw_keys.items()}
        found: dict[bytes, Row] = {}
        for some in _portions(places, _KEYS_AT_ONCE):
            options = replace(self.options, rows_max=len(some))
            keys = _by_place({raw: [places[raw]] for raw in some})
            found |= self._rows(self._parts(read, keys, options, keys), options)
        others = {place: self._others(place) for place in set(places.values())}
        missing = {raw: others[place] for raw, place in places.items() if raw not in found}
        for some in _portions(missing, _KEYS_AT_ONCE // len(self.partitions)):
            found |= self._of_keys_elsewhere({raw: missing[raw] for raw in some}, read)
        return found

    def _of_keys_elsewhere(self, places: Mapping[bytes, list[int]], read: Read) -> dict[bytes, Row]:
        """Return the rows of keys, each looked for in some partitions, as `_parts_elsewhere`."""
        options = replace(self.options, rows_max=len(places))
        keys = _by_place(places)
        answers = self._answers(read, keys, options, keys)
        good = {place: part for place, part in answers.items() if part.failure is None}
        found = self._rows(good, options)
        missing = {raw: some for raw, some in places.items() if raw not in found}
        not_ready = _not_ready(answers)
        waiting = {place: raws for place, raws in _by_place(missing).items() if place in not_ready}
        if waiting:
            found |= self._rows(self._parts(read, waiting, options, waiting), options)
        return found

    def _rows(self, parts: Mapping[int, AnsweredPart], options: ReadOptions) -> dict[bytes, Row]:
        """Return rows by their keys; of a key in several partitions that of the first of them."""
        found: dict[bytes, Row] = {}
        for place in sorted(parts):
            for row in self.asker.pages(self.store, parts[place], options):
                found.setdefault(row[0], row)
        return found

    def of_all(self, read: Read) -> Mapping[int, Part]:
        return self._parts(read, self.partitions, self.options)

    def by_key(self, read: Read) -> Iterator[Row]:
        """Return rows of all partitions, in the order of the bytes of their keys. The first pages
        are asked for at the same time.
        """
        for _, row in self.placed_by_key(read):
            yield row

    def placed_by_key(self, read: Read) -> Iterator[PlacedRow]:
        """Return the rows of `by_key`, each with its partition."""
        parts = self._parts(read, self.partitions, self.options)
        scans = {place: self._pages(read, part) for place, part in parts.items()}
        yield from merged(scans, reverse=read.reverse)

    def _pages(self, read: Read, part: AnsweredPart) -> Iterator[Row]:
        if read.anew:
            return self.asker.pages_anew(self.store, read, part, self.options)
        return self.asker.pages(self.store, part, self.options)

    def rows_one_by_one(self, read: Read) -> Iterator[Row]:
        """Return rows partition by partition, each in the order of its store, as Java does."""
        for part in self._parts_one_by_one(read):
            yield from self.asker.pages(self.store, part, self.options)

    def one_by_one(self, read: Read) -> Iterator[Row | None]:
        """Return rows partition by partition, and None before each question for more."""
        for part in self._parts_one_by_one(read):
            yield from self.asker.pages_with_marks(self.store, part, self.options)
            yield None

    def _parts_one_by_one(self, read: Read) -> Iterator[AnsweredPart]:
        for partition in self.partitions:
            yield self._parts(read, [partition], self.options)[partition]

    def _parts(
        self,
        read: Read,
        partitions: Iterable[int],
        options: ReadOptions,
        keys: Mapping[int, tuple[bytes, ...]] | None = None,
    ) -> dict[int, AnsweredPart]:
        return self._noted(self.asker.parts(self.store, read, partitions, options, keys))

    def _answers(
        self,
        read: Read,
        partitions: Collection[int],
        options: ReadOptions,
        keys: Mapping[int, tuple[bytes, ...]] | None = None,
    ) -> dict[int, AnsweredPart]:
        """Return what `_parts` does, and the failures of tasks that do not answer now."""
        if not partitions:
            return {}
        return self._noted(self.asker.answers(self.store, read, partitions, options, keys))

    def _noted(self, parts: dict[int, AnsweredPart]) -> dict[int, AnsweredPart]:
        for partition, part in parts.items():
            if part.failure is not None:
                continue
            for topic, offsets in part.position.items():
                self.reached.setdefault(topic, {}).update(offsets)
            if self.options.stale_ok:
                self.behind[partition] = part.offsets_behind
        return parts

    def key(self, raw: bytes) -> Any:
        return self.codec.decode_key(raw)

    def value(self, row: Row) -> Any:
        value = self.bare_value(row)
        if self.keeps_headers:
            headers = Headers(headers_of(row[1]))
            if row[2] is None:
                return AggregationWithHeaders(value, headers)
            return ValueTimestampHeaders(value, row[2], headers)
        return value if row[2] is None else ValueAndTimestamp(value, row[2])

    def timed_value(self, row: Row) -> Any:
        """Return the value with its time, if it has one, but without headers."""
        value = self.bare_value(row)
        return value if row[2] is None else ValueAndTimestamp(value, row[2])

    def bare_value(self, row: Row) -> Any:
        """Return the value without its time and headers."""
        data = row[1]
        return self.codec.decode_value(data[end_of_headers(data) :] if self.keeps_headers else data)

    def version(self, row: Row) -> VersionedRecord[Any]:
        return VersionedRecord(self.bare_value(row), row[2] or 0, row[4])


def _portions(keys: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    left = iter(keys)
    while some := list(islice(left, max(1, size))):
        yield some


def _by_place(places: Mapping[bytes, Iterable[int]]) -> dict[int, tuple[bytes, ...]]:
    """Return the keys that are looked for in each partition."""
    keys: dict[int, list[bytes]] = {}
    for raw, wanted in places.items():
        for place in wanted:
            keys.setdefault(place, []).append(raw)
    return {place: tuple(raws) for place, raws in keys.items()}


def _not_ready(answers: Mapping[int, Part]) -> set[int]:
    """Return the partitions whose tasks do not answer now, but may. Those of a driver that cannot
    be asked at all are as those of other instances are in Java: a key is not looked for there.
    """
    return {place for place, part in answers.items() if part.failure not in {None, "elsewhere"}}


def _said(error: Exception) -> str:
    return said(error) if isinstance(error, TypeError) else str(error)


class _View(ExplainsCamelCase):
    """What all views have."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """The name of the store."""
        return self._source.store.name

    @property
    def offsets_behind(self) -> dict[int, int]:
        """Of a view with `stale_ok`: how many changelog offsets the copy was behind that gave the
        last answer of each partition; 0 if its task ran.
        """
        return dict(self._source.behind)

    def to_dataframe(self, spark: SparkSession | None = None) -> DataFrame:
        """Return the store as a batch DataFrame, as `penstock.spark.state` does: from its
        changelog, as of the last commit of each task at this call, not as of this view.

        Raises:
            QueryError: the store has no changelog, or is global.
        """
        from penstock._engine.spark.state.table import table_of_entry  # noqa: PLC0415

        source = self._source
        return table_of_entry(source.store, source.config, source.partition, spark)


class ReadOnlyKeyValueStore(_View, Generic[K, V]):
    """A key-value store, timestamped or not, as a query sees it. Java: ReadOnlyKeyValueStore.

    Of a timestamped store, as tables have, values are `ValueAndTimestamp`: the view is Java's
    `QueryableStoreTypes.timestampedKeyValueStore()`; a `KeyQuery` has plain values.

    ```python
    counts = streams.store("counts")
    counts.get("ann")
    for customer, count in counts.range("a", "b"):
        print(customer, count)
    ```
    """

    _spoken_name = "ReadOnlyKeyValueStore"

    def get(self, key: K) -> V | None:
        """Return the value of `key`, or None."""
        rows = self._source.of_key(key, Read("get"))
        return self._source.value(rows[0]) if rows else None

    def get_all(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values of those of `keys` that have one: one question to each worker for a
        few thousand keys.
        """
        raw_keys = {key: self._source.raw_key(key) for key in keys}
        found = self._source.of_keys(raw_keys, Read("get"))
        return {
            key: self._source.value(found[raw]) for key, raw in raw_keys.items() if raw in found
        }

    def range(self, start: K | None, end: K | None) -> QueryIterator[tuple[K, V]]:
        """Return the entries from `start` to `end`, both included, None for no bound, in the order
        of the bytes of the keys.
        """
        return self._range(start, end, reverse=False)

    def reverse_range(self, start: K | None, end: K | None) -> QueryIterator[tuple[K, V]]:
        """Return the entries of `range`, last first."""
        return self._range(start, end, reverse=True)

    def all(self) -> QueryIterator[tuple[K, V]]:
        """Return all entries, in the order of the bytes of the keys."""
        return self._range(None, None, reverse=False)

    def reverse_all(self) -> QueryIterator[tuple[K, V]]:
        """Return all entries, last first."""
        return self._range(None, None, reverse=True)

    def prefix_scan(
        self, prefix: Any, serde: Serde[Any] | None = None
    ) -> QueryIterator[tuple[K, V]]:
        """Return the entries whose serialized key begins with that of `prefix`: bytes as they are,
        anything else as `serde` writes it, or as the store's keys are written. Java: prefixScan.
        """
        return self._entries(Read("prefix", keys=(self._source.raw_prefix(prefix, serde),)))

    def approximate_num_entries(self) -> int:
        """Return about how many entries there are."""
        parts = self._source.of_all(Read("count"))
        return sum(int.from_bytes(part.rows[0][1]) for part in parts.values())

    def _range(self, start: Any, end: Any, *, reverse: bool) -> QueryIterator[tuple[K, V]]:
        bounds = self._source.bounds(start, end)
        return self._entries(Read("range", (), *bounds, reverse=reverse))

    def _entries(self, read: Read) -> QueryIterator[tuple[K, V]]:
        source = self._source
        return QueryIterator((source.key(row[0]), source.value(row)) for row in source.by_key(read))


class ReadOnlyWindowStore(_View, Generic[K, V]):
    """A window store, timestamped or not, as a query sees it. Java: ReadOnlyWindowStore.

    ```python
    counts = streams.store("counts-per-minute")
    for start, count in counts.fetch("ann", 0, 3_600_000):
        print(start, count)
    ```
    """

    _spoken_name = "ReadOnlyWindowStore"

    def fetch(self, key: K, time_from: int, time_to: int | None = None) -> Any:
        """Return the value of the window that begins at a time; or, between two times, the starts
        and values of all windows of `key`, the earliest first.
        """
        if time_to is not None:
            return self._of_key(key, time_from, time_to, reverse=False)
        read = Read("window", time_from=to_time(time_from, "time_from"))
        rows = self._source.of_key(key, read)
        return self._source.value(rows[0]) if rows else None

    def backward_fetch(self, key: K, time_from: int, time_to: int) -> QueryIterator[tuple[int, V]]:
        """Return the windows of `key` between two times, the latest first."""
        return self._of_key(key, time_from, time_to, reverse=True)

    def fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of several keys between two times, None for no bound; task by task."""
        return self._range(key_from, key_to, time_from, time_to, reverse=False)

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_range`, last first in each task."""
        return self._range(key_from, key_to, time_from, time_to, reverse=True)

    def fetch_all(self, time_from: int, time_to: int) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of all keys between two times."""
        return self._range(None, None, time_from, time_to, reverse=False)

    def backward_fetch_all(
        self, time_from: int, time_to: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_all`, last first in each task."""
        return self._range(None, None, time_from, time_to, reverse=True)

    def all(self) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return all windows."""
        return self._range(None, None, 0, END_OF_TIME, reverse=False)

    def backward_all(self) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return all windows, last first in each task."""
        return self._range(None, None, 0, END_OF_TIME, reverse=True)

    def _of_key(
        self, key: Any, time_from: int, time_to: int, *, reverse: bool
    ) -> QueryIterator[tuple[int, V]]:
        source, times = self._source, _between(time_from, time_to)
        read = Read("windows", (), None, None, *times, reverse)
        rows = source.rows_of_key(key, read)
        return QueryIterator((row[3] or 0, source.value(row)) for row in rows)

    def _range(
        self, key_from: Any, key_to: Any, time_from: int, time_to: int, *, reverse: bool
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        source = self._source
        bounds = source.bounds(key_from, key_to)
        times = _between(time_from, time_to)
        read = Read("window_range", (), *bounds, *times, reverse)
        return QueryIterator(windowed(source, source.rows_one_by_one(read), source.value))


class ReadOnlySessionStore(_View, Generic[K, V]):
    """A session store as a query sees it. Java: ReadOnlySessionStore.

    ```python
    visits = streams.store("visits")
    for session, count in visits.fetch("ann"):
        print(session.start, session.end, count)
    ```
    """

    _spoken_name = "ReadOnlySessionStore"

    def fetch_session(self, key: K, start: int, end: int) -> V | None:
        """Return the value of the session with exactly these bounds, or None."""
        read = Read("session", (), None, None, to_time(start, "start"), to_time(end, "end"))
        rows = self._source.of_key(key, read)
        return self._source.value(rows[0]) if rows else None

    def fetch(self, key: K) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`, by their ends."""
        return self.find_sessions(key, 0, END_OF_TIME)

    def backward_fetch(self, key: K) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`, last first."""
        return self.backward_find_sessions(key, 0, END_OF_TIME)

    def find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key` that end at `earliest_end` or later and start at
        `latest_start` or earlier, by their ends.
        """
        return self._of_key(key, earliest_end, latest_start, reverse=False)

    def backward_find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions`, last first."""
        return self._of_key(key, earliest_end, latest_start, reverse=True)

    def fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of several keys, None for no bound; task by task."""
        return self.find_sessions_range(key_from, key_to, 0, END_OF_TIME)

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `fetch_range`, last first in each task."""
        return self.backward_find_sessions_range(key_from, key_to, 0, END_OF_TIME)

    def find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Do as `find_sessions` for several keys, None for no bound; task by task."""
        return self._range(key_from, key_to, (earliest_end, latest_start), reverse=False)

    def backward_find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions_range`, last first in each task."""
        return self._range(key_from, key_to, (earliest_end, latest_start), reverse=True)

    def _range(
        self, key_from: Any, key_to: Any, times: tuple[int, int], *, reverse: bool
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        source = self._source
        bounds = source.bounds(key_from, key_to)
        read = Read("session_range", (), *bounds, *_overlapping(*times), reverse)
        return QueryIterator(windowed(source, source.rows_one_by_one(read), source.value))

    def _of_key(
        self, key: Any, earliest_end: int, latest_start: int, *, reverse: bool
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        source, times = self._source, _overlapping(earliest_end, latest_start)
        read = Read("sessions", (), None, None, *times, reverse)
        return QueryIterator(windowed(source, source.rows_of_key(key, read), source.value))


class ReadOnlyVersionedStore(_View, Generic[K, V]):
    """A versioned store as a query sees it. Java: VersionedKeyQuery, MultiVersionedKeyQuery.

    ```python
    prices = streams.store("prices")
    prices.get("tea", as_of=1_793_000_000_000)
    ```
    """

    _spoken_name = "ReadOnlyVersionedStore"

    def get(self, key: K, as_of: int | None = None) -> VersionedRecord[V] | None:
        """Return the newest version of `key`, or the one it had at the time `as_of`."""
        asked = Read("version")
        if as_of is not None:
            asked = Read("version", time_to=to_time(as_of, "as_of"), reverse=True)
        rows = self._source.of_key(key, asked)
        return self._source.version(rows[0]) if rows else None

    def history(
        self, key: K, time_from: int = 0, time_to: int = END_OF_TIME, *, newest_first: bool = True
    ) -> list[VersionedRecord[V]]:
        """Return the versions of `key` that were valid at some time between two times."""
        times = _between(time_from, time_to)
        read = Read("versions", (), None, None, *times, newest_first)
        return [self._source.version(row) for row in self._source.of_key(key, read)]


def _between(time_from: Any, time_to: Any) -> tuple[int, int]:
    return to_time(time_from, "time_from"), to_time(time_to, "time_to")


def _overlapping(earliest_end: Any, latest_start: Any) -> tuple[int, int]:
    return to_time(earliest_end, "earliest_end"), to_time(latest_start, "latest_start")


def windowed(
    source: Source, rows: Iterable[Row], value_of: Callable[[Row], Any]
) -> Iterator[tuple[Windowed[Any], Any]]:
    """Return the windows or sessions of rows, with their values."""
    for row in rows:
        yield Windowed(source.key(row[0]), row[3] or 0, row[4] or 0), value_of(row)


_VIEWS: dict[str, type[_View]] = {
    "key_value": ReadOnlyKeyValueStore,
    "timestamped_key_value": ReadOnlyKeyValueStore,
    "timestamped_key_value_with_headers": ReadOnlyKeyValueStore,
    "window": ReadOnlyWindowStore,
    "timestamped_window": ReadOnlyWindowStore,
    "timestamped_window_with_headers": ReadOnlyWindowStore,
    "session": ReadOnlySessionStore,
    "session_with_headers": ReadOnlySessionStore,
    "versioned_key_value": ReadOnlyVersionedStore,
}


def view_of(
    stores: Mapping[str, StoreEntry],
    name: str,
    source: tuple[Asker, StreamsConfig, ReadOptions],
    partition: int | None = None,
    partitioner: Any = None,
) -> Any:
    """Return the view of a store.

    Raises:
        QueryError: there is no such store or partition, or it belongs to an operator.
    """
    store = store_named(name, stores)
    number = to_partition(partition)
    if partition is not None and number is None:
        msg = f"a partition of store {name!r} must be a whole number; got {partition!r}"
        raise QueryError(msg)
    if number is not None and number not in store.tasks:
        msg = f"store {name!r} has no partition {number}; it has {len(store.tasks)}"
        raise QueryError(msg)
    view = _VIEWS.get(store.plan.builder.kind)
    if view is None:
        msg = f"store {name!r} belongs to an operator and cannot be queried"
        raise QueryError(msg)
    return view(Source(store, *source, number, partitioner))


def store_named(name: str, stores: Mapping[str, StoreEntry]) -> StoreEntry:
    """Return a store of the application.

    Raises:
        QueryError: there is no such store.
    """
    store = stores.get(name)
    if store is None:
        known = ", ".join(map(repr, sorted(stores))) or "none"
        msg = f"the application has no store {name!r}; its stores: {known}"
        raise QueryError(msg)
    return store
