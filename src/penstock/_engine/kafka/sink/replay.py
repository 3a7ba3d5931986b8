"""What a partition does about its batch, given what the journal says. Pure.

A batch that runs for the first time is written. One that runs again may have been written, in part
or whole, by a run that died. A partition that has written it compares and writes nothing. One that
has not may write only if the batch is cut as it was: else rows of another partition, which are
written, would be written twice. Where the rows alone decide about the cut its number of partitions
says enough; else nothing is written until all partitions have been compared (`agree`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from penstock._engine.kafka.sink.contents import Contents
from penstock._engine.kafka.sink.journal_state import Cut, JournalState, Written
from penstock.errors import StreamsError


class OtherCut(StreamsError):
    """A batch that is half written has come with its rows in other partitions."""


@dataclass(frozen=True, slots=True)
class Place:
    """A partition of a batch in a run of a query."""

    query: str
    run_id: str
    batch: int
    part: int
    """The number of a partition of the topic by which the batch is cut, else of a partition of
    Spark's.
    """
    topic_partition_count: int | None = None
    """How many partitions of the topic the batch is cut by, None if Spark cuts it."""
    again: bool = False
    """The user wants a batch that another run has half written to be written again, whole."""

    @property
    def shown(self) -> str:
        """Which partition it is, for messages."""
        if self.topic_partition_count is None:
            return f"Spark's partition {self.part}"
        return f"partition {self.part} of the topic"


@dataclass(frozen=True, slots=True)
class Write:
    """Write the rows; if they are `expected` to be some, commit only those."""

    expected: Contents | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """The rows are written: compare them."""

    written: Contents


@dataclass(frozen=True, slots=True)
class Withhold:
    """Count the rows and write none: others have to be compared first."""


Decision: TypeAlias = Write | Compare | Withhold


def decide(state: JournalState, place: Place) -> Decision:
    """Return what to do with the rows of a partition.

    Raises:
        OtherCut: the batch is half written, and is cut in another way now.
        StreamsError: the journal knows of a later batch.
    """
    # Also of other partitions: this one may have had no rows in the later batches.
    last = max((written.batch for written in state.written.values()), default=-1)
    if last > place.batch:
        raise StreamsError(_ahead(place, last))
    own = state.written.get(place.part)
    if own is not None and _is_of(own, place) and own.run_id == place.run_id:
        return Compare(own.contents)
    earlier = _earlier(state, place)
    if not earlier or place.again:
        return Write()
    for written in earlier.values():
        if written.topic_partition_count != place.topic_partition_count:
            raise OtherCut(_other_cut(place, earlier, _as_counted(written.topic_partition_count)))
    if own is not None and _is_of(own, place):
        return Compare(own.contents)
    if place.topic_partition_count is not None:
        return Write()
    if state.cut is None or state.cut.batch != place.batch:
        return Withhold()
    expected = state.cut.parts.get(place.part)
    if expected is None:
        raise OtherCut(_other_cut(place, earlier, f"{len(state.cut.parts)} partitions of Spark's"))
    return Write(expected)


def check(found: Contents, expected: Contents, place: Place) -> None:
    """Compare rows with those that were written, or agreed on.

    Raises:
        OtherCut: they differ.
    """
    if found != expected:
        got = f"{expected.count} records in {place.shown}, now {found.count}"
        if found.count == expected.count:
            got = f"{found.count} other records in {place.shown}"
        raise OtherCut(_other_cut(place, {place.part: None}, got))


def agree(state: JournalState, place: Place, parts: Mapping[int, Contents]) -> Cut:
    """Return the cut of a half written batch whose partitions, now all counted, are as they were.

    Raises:
        OtherCut: one that is written is not as it was.
    """
    for partition, written in _earlier(state, place).items():
        found = parts.get(partition, Contents())
        at = Place(place.query, place.run_id, place.batch, partition)
        check(found, written.contents, at)
    return Cut(place.batch, dict(parts))


def _is_of(written: Written, place: Place) -> bool:
    return written.batch == place.batch


def _earlier(state: JournalState, place: Place) -> dict[int, Written]:
    """Return what earlier runs have written of the batch."""
    return {
        partition: written
        for partition, written in sorted(state.written.items())
        if _is_of(written, place) and written.run_id != place.run_id
    }


def _as_counted(partitions: int | None) -> str:
    if partitions is None:
        return "partitions of Spark's"
    return f"{partitions} partitions of the topic"


def _other_cut(place: Place, written: Mapping[int, object], got: str) -> str:
    numbers = ", ".join(map(str, written))
    return (
        f"batch {place.batch} of query {place.query} was written in part (partitions {numbers}) "
        f"when an earlier run ended, and its rows are not cut into partitions as they were then "
        f"(it had {got}): what is missing cannot be told from what is written, so nothing is "
        "written. Start the query as it was started then (the same number of cores, the same "
        "'spark.sql.files.maxPartitionBytes', or partitions=... for write_stream); or write this "
        "batch again, with duplicates of those partitions: option('afterPartialWrite', 'again'), "
        "after_partial_write='again' of write_stream and of penstock.spark.run, for one start"
    )


def _ahead(place: Place, batch: int) -> str:
    return (
        f"batch {place.batch} of query {place.query} must follow what is written; its journal "
        f"knows of batch {batch}: the checkpoint is older than the journal, as after a restored "
        "backup; go on with a new checkpoint, whose batches are written as new ones"
    )
