"""Where the views of stores read: which tasks are asked for what, and what their rows mean.

A key is looked for in the partition to which it belongs, then in the others that may have it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

from penstock._engine.queries.answers_of_all import AnswersOfAll
from penstock._engine.queries.asking import AnsweredPart, Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.key_batch import KeyPlace, question_of_keys
from penstock._engine.queries.merging import PlacedRow, first_with_rows, merged
from penstock._engine.queries.questions import ANSWER_BYTES_MAX, Part, Question, Read, Row
from penstock._engine.queries.questions import Position as QueryPosition
from penstock._engine.runtime.stores.row_forms import form_of
from penstock._engine.runtime.stores.store_kinds import codec_of
from penstock._engine.state.codec import RowCodec
from penstock._engine.state.header_codec import end_of_headers, headers_of
from penstock.errors import QueryError
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

_log = logging.getLogger(__name__)

# A question, and the page that answers it, must fit into a message.
_KEYS_AT_ONCE = 5000
# Of one key, without a thread: a question for each partition.
_ASKED_BESIDE_MAX = 16


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
    of_single_keys: Question = field(init=False, repr=False)
    """What the questions of `begin_get` have in common."""
    behind: dict[int, int] = field(init=False, default_factory=dict)
    """How many offsets the copy was behind that gave the last answer of a partition."""
    reached: QueryPosition = field(init=False, default_factory=dict, compare=False)
    """How far the tasks that were scanned had come: the last offset of each input partition."""

    def __post_init__(self) -> None:
        plan = self.store.plan
        object.__setattr__(self, "codec", codec_of(plan, self.config))
        object.__setattr__(self, "keeps_headers", form_of(plan.builder.kind).keeps_headers)
        options = self.options
        common = question_of_keys(
            self.store.name,
            uncommitted=options.uncommitted,
            stale_ok=options.stale_ok,
            seconds=options.seconds,
            bytes_max=min(options.bytes_max, ANSWER_BYTES_MAX),
        )
        object.__setattr__(self, "of_single_keys", common)

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
        """Ask for the row of one key where it belongs without waiting, as `Asker.begin_get` does;
        None also if code of the user says where that is.
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
        at = KeyPlace(place, raw_key)
        return self.asker.begin_get(self.store, self.of_single_keys, at, ended)

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
