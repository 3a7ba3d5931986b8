"""The history of a topic up to a moment: its offsets in each partition, and reading it in splits.

The bounds are found once; a later read finds the same records, since offsets never change. What
transactions have aborted, and what compaction has removed, leaves gaps between offsets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from penstock import _clock as clock
from penstock._engine.kafka.client.bulk import Portion, Reader, open_reader
from penstock._engine.kafka.client.client_errors import is_retriable
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.topics import offsets_at, partition_counts
from penstock._engine.runtime.records import OFFSET, RawRecord
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

Bound: TypeAlias = datetime | int | Mapping[int, int] | Literal["earliest", "latest"] | None
"""A moment (a datetime, or milliseconds since the epoch), the offset of each partition (-2 for the
first, -1 for the end), the first or the end of all, or None for as far as it goes.
"""

RECORDS_PER_SPLIT = 250_000
_BATCH_MESSAGES = 10_000
_READ_AHEAD_MESSAGES = 20_000
_WAIT_SECONDS = 1.0
_SILENT_SECONDS = 60.0
_NO_LATER_RECORD = -1
_FIRST, _END = -2, -1
_GONE = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})


class RecordsGoneError(StreamsError):
    """The offsets that shall be read are not in the topic any more."""


@dataclass(frozen=True, slots=True)
class Split:
    """A range of offsets in one partition: from `start` on, and before `end`."""

    topic: str
    partition: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TopicRange:
    """The offsets of a topic that are history, by partition."""

    topic: str
    starts: Mapping[int, int]
    ends: Mapping[int, int]

    def splits(self, offsets_per_split: int) -> list[Split]:
        """Cut it into splits that can be read in parallel."""
        return [
            Split(self.topic, partition, start, min(start + offsets_per_split, end))
            for partition, end in sorted(self.ends.items())
            for start in range(self.starts[partition], end, offsets_per_split)
        ]


def check_bound(name: str, bound: object) -> None:
    """Refuse what does not say where the history of a topic begins or ends; a text with a moment
    too, which may lack a time zone.

    Raises:
        ConfigError: it is something else.
    """
    if not _is_edge(name, bound) and not _is_offsets(bound):
        raise _no_bound(name, "offsets by partition, such as {0: 120}", bound)


def check_bounds(name: str, bounds: object) -> None:
    """Refuse what does not say where the histories of topics begin or end.

    Raises:
        ConfigError: it is something else.
    """
    by_topic = isinstance(bounds, Mapping) and all(map(_is_offsets, bounds.values()))
    if not by_topic and not _is_edge(name, bounds):
        expected = "offsets by topic and partition, such as {'orders': {0: 120}}"
        raise _no_bound(name, expected, bounds)


def _no_bound(name: str, offsets: str, got: object) -> ConfigError:
    return ConfigError(
        f"{name} must be 'earliest', 'latest', a moment (a datetime with a time zone, or "
        f"milliseconds since the epoch), or {offsets}; got {got!r}"
    )


def _is_edge(name: str, bound: object) -> bool:
    """Return whether a bound is None, the first, the end, or a moment."""
    if isinstance(bound, datetime) and bound.tzinfo is None:
        msg = f"{name}: a moment must have a time zone; got {bound!r}"
        raise ConfigError(msg)
    if isinstance(bound, str):
        return bound in {"earliest", "latest"}
    return bound is None or isinstance(bound, datetime) or _is_number(bound)


def _is_offsets(bound: object) -> bool:
    return isinstance(bound, Mapping) and all(
        _is_number(one) for pair in bound.items() for one in pair
    )


def _is_number(one: object) -> bool:
    return isinstance(one, int) and not isinstance(one, bool)


def find_range(
    admin: AdminClient, topic: str, *, since: Bound = None, until: Bound = None
) -> TopicRange:
    """Find where history begins and ends in each partition: at the first record that is not older
    than a moment, at given offsets, or where the topic does. Open transactions are not history yet;
    of one that has ended, the end has the time at which it was written.

    Raises:
        ConfigError: a bound is none.
        StreamsError: there is no such topic, or it has not the offsets.
    """
    check_bound("since", since)
    check_bound("until", until)
    count = partition_counts(admin, [topic])[topic]
    places = [(topic, partition) for partition in range(count)]
    lowest = _offsets(admin, places, OffsetSpec.earliest())  # type: ignore[no-untyped-call]
    highest = _offsets(admin, places, OffsetSpec.latest())  # type: ignore[no-untyped-call]
    extent = _Extent(topic, lowest, highest)
    starts = _resolve(admin, extent, since, lowest)
    ends = _resolve(admin, extent, until, highest)
    return TopicRange(topic, {at: min(start, ends[at]) for at, start in starts.items()}, ends)


def reading_settings(config: StreamsConfig) -> dict[str, Any]:
    """Return the settings of the consumers of a history."""
    return {
        **consumer_settings(config, "restore"),
        "isolation.level": "read_committed",
        # What is read ahead behind the end of a split is read in vain.
        "queued.min.messages": _READ_AHEAD_MESSAGES,
    }


def read_split(settings: Mapping[str, Any], split: Split) -> Iterator[list[RawRecord]]:
    """Yield the committed records of a split, in order, in batches.

    Raises:
        RecordsGoneError: the records were deleted.
        StreamsError: the broker does not answer, or refuses.
    """
    reader = open_reader(settings)
    try:
        reader.consumer.assign([TopicPartition(split.topic, split.partition, split.start)])
        yield from _read(reader, split)
    finally:
        reader.consumer.close()


def first_offset(settings: Mapping[str, Any], split: Split) -> int:
    """Return the first offset that the partition of a split still has.

    Raises:
        StreamsError: the broker does not answer, or the topic was deleted.
    """
    consumer = open_reader(settings).consumer
    try:
        place = TopicPartition(split.topic, split.partition)
        first, _ = consumer.get_watermark_offsets(place, timeout=_SILENT_SECONDS)
    except KafkaException as error:
        raise StreamsError(_untold(split, error.args[0].str())) from error
    finally:
        consumer.close()
    return first


def _read(reader: Reader, split: Split) -> Iterator[list[RawRecord]]:
    deadline = clock.monotonic() + _SILENT_SECONDS
    while True:
        portions = reader.read(_WAIT_SECONDS, _BATCH_MESSAGES)
        records, ended = _within(portions, split)
        if records:
            yield records
            # What the reader does with the records is no silence of the broker.
            deadline = clock.monotonic() + _SILENT_SECONDS
        if ended:
            return
        # Errors that may pass are no records: a topic that was deleted must not be waited for.
        if not records and clock.monotonic() >= deadline:
            raise StreamsError(_untold(split, f"nothing has come for {_SILENT_SECONDS:.0f} s"))


def _within(portions: Iterable[Portion], split: Split) -> tuple[list[RawRecord], bool]:
    """Return the records that belong to a split, and whether it is read to its end."""
    found: list[RawRecord] = []
    for _, _, records, event in portions:
        if event is not None:
            offset, error = event
            if error.code() == KafkaError._PARTITION_EOF:
                # Where reading would go on, behind markers and what was compacted away.
                if offset >= split.end:
                    return found, True
            elif error.code() in _GONE:
                raise RecordsGoneError(_untold(split, error.str()))
            elif not is_retriable(error):
                raise StreamsError(_untold(split, error.str()))
        elif records[-1][OFFSET] >= split.end - 1:
            return found + [record for record in records if record[OFFSET] < split.end], True
        else:
            found += records
    return found, False


@dataclass(frozen=True, slots=True)
class _Extent:
    """The first and the end offset of each partition now."""

    topic: str
    lowest: Mapping[int, int]
    highest: Mapping[int, int]


def _resolve(
    admin: AdminClient, extent: _Extent, bound: Bound, default: Mapping[int, int]
) -> dict[int, int]:
    if bound is None:
        return dict(default)
    if isinstance(bound, str):
        return dict(extent.lowest if bound == "earliest" else extent.highest)
    if isinstance(bound, Mapping):
        named = {_FIRST: extent.lowest, _END: extent.highest}
        told = {
            partition: named[offset].get(partition, offset) if offset in named else offset
            for partition, offset in bound.items()
        }
        _check(extent, told)
        return {**default, **told}
    moment = int(bound.timestamp() * 1000) if isinstance(bound, datetime) else bound
    spec: Any = OffsetSpec.for_timestamp(moment)
    found = _offsets(admin, [(extent.topic, partition) for partition in default], spec)
    return {
        partition: end if found[partition] == _NO_LATER_RECORD else min(found[partition], end)
        for partition, end in extent.highest.items()
    }


def _check(extent: _Extent, offsets: Mapping[int, int]) -> None:
    for partition, offset in offsets.items():
        if partition not in extent.highest:
            has = f"is not among its {len(extent.highest)} partitions"
        elif not extent.lowest[partition] <= offset <= extent.highest[partition]:
            first, last = extent.lowest[partition], extent.highest[partition]
            has = f"has the committed offsets {first} to {last}"
        else:
            continue
        msg = (
            f"offset {offset} of topic {extent.topic!r} was asked for; partition {partition} {has}"
        )
        raise StreamsError(msg)


def _offsets(admin: AdminClient, places: Iterable[tuple[str, int]], spec: Any) -> dict[int, int]:
    found = offsets_at(admin, places, spec, "read_committed")
    return {number: offset for (_, number), offset in found.items()}


def _untold(split: Split, why: str) -> str:
    return (
        f"topic {split.topic!r}, partition {split.partition} cannot be read from offset "
        f"{split.start} to {split.end}: {why}"
    )
