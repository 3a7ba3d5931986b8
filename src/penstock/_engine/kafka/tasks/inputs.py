"""Reading the input partitions of the tasks that are ours.

One consumer that never subscribes: partitions come and go with their tasks. Reaching the end of a
partition is an event, and the only way to know under exactly-once that nothing more can be read
now: the log may go on behind a transaction that is still open.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, Protocol

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from penstock._engine.kafka.client.bulk import Portion, open_reader
from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    TaskMigrated,
    code_of,
    is_retriable,
)
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.tasks.open_transactions import HeldBack
from penstock._engine.kafka.tasks.paused_buffer import PausedBuffer
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import OFFSET, RawRecord
from penstock.errors import StreamsError

Batch = dict[Partition, list[RawRecord]]

_NETWORK_SECONDS = 30.0
_CAUGHT_UP, _BEHIND = 0, 1


class Inputs(Protocol):
    """The input partitions of a worker's tasks. Implemented by `InputReader`."""

    lags: dict[Partition, int]

    def committed(
        self, partitions: Iterable[Partition], timeout_seconds: float = _NETWORK_SECONDS
    ) -> dict[Partition, tuple[int, str] | None]: ...
    def offset_at(self, partition: Partition, time_ms: int) -> int: ...
    def renew(self) -> None: ...
    def add(self, offsets: Mapping[Partition, int]) -> None: ...
    def remove(self, partitions: Iterable[Partition]) -> None: ...
    def read(self, wait_seconds: float, limit: int) -> Batch: ...
    def wake(self) -> bool: ...
    def pause(self, partition: Partition) -> None: ...
    def resume(self, partition: Partition) -> None: ...
    def end_met(self, partition: Partition) -> int: ...
    def lag(self, partitions: Iterable[Partition] | None = None) -> int | None: ...
    def held_back(self) -> dict[Partition, HeldBack]: ...
    def close(self) -> None: ...


class InputReader:
    """Reads the partitions it is given, from where their tasks left off."""

    def __init__(
        self, settings: Mapping[str, Any], ends: Mapping[Partition, int] | None = None
    ) -> None:
        self._settings = dict(settings)
        self._waking = threading.Lock()
        """Held while another thread uses the client: it is not closed meanwhile."""
        self._waits = self._woken = False
        self._open()
        self._ends = dict(ends or {})
        self._finished: set[Partition] = set()
        self._ends_met: dict[Partition, int] = {}
        self._missed: set[Partition] = set()
        """Those whose records were gone, and that have yielded none since."""
        self.lags: dict[Partition, int] = {}
        """0 for a partition read to its end, 1 for one of which more is known or not yet known."""
        self._paused: set[Partition] = set()
        self._buffer = PausedBuffer()
        self._client_paused: set[Partition] = set()
        """Those that are paused in the client as well."""

    def committed(
        self, partitions: Iterable[Partition], timeout_seconds: float = _NETWORK_SECONDS
    ) -> dict[Partition, tuple[int, str] | None]:
        """Return the committed offset and its metadata, None where there is none.

        Waits for transactions that are still committing offsets (the broker's stable fetch).
        """
        asked = [TopicPartition(topic, number) for topic, number in partitions]
        try:
            answers = self._consumer.committed(asked, timeout=timeout_seconds) if asked else []
        except KafkaException as error:
            kind = BrokerAway if is_retriable(code_of(error)) else StreamsError
            if hint := allowing(code_of(error), "READ", "group", str(self._settings["group.id"])):
                msg = f"the committed offsets cannot be read: {code_of(error).str()}{hint}"
                raise kind(msg) from error
            msg = (
                f"the committed offsets cannot be read: {code_of(error).str()}; if the brokers are "
                "up, a transaction that holds them has not ended (kafka-transactions.sh "
                "find-hanging shows it, abort ends it)"
            )
            raise kind(msg) from error
        for answer in answers:
            if answer.error is not None:
                kind = BrokerAway if is_retriable(answer.error) else StreamsError
                hint = allowing(answer.error, "READ", "topic", answer.topic)
                reason = f"{answer.error.str()}{hint}"
                msg = f"the committed offset of {_named(answer)} cannot be read: {reason}"
                raise kind(msg)
        return {
            (answer.topic, answer.partition): (
                None if answer.offset == OFFSET_INVALID else (answer.offset, answer.metadata or "")
            )
            for answer in answers
        }

    def offset_at(self, partition: Partition, time_ms: int) -> int:
        """Return the offset of the first record of a time or later, the end if there is none."""
        topic, number = partition
        asked = [TopicPartition(topic, number, max(time_ms, 0))]
        try:
            [answer] = self._consumer.offsets_for_times(asked, timeout=_NETWORK_SECONDS)
            error = answer.error
        except KafkaException as failure:
            error = code_of(failure)
        if error is not None:
            kind = BrokerAway if is_retriable(error) else StreamsError
            hint = allowing(error, "READ", "topic", topic)
            msg = (
                f"the offset to begin at by time cannot be read of {_named(asked[0])}: "
                f"{error.str()}{hint}"
            )
            raise kind(msg)
        return int(answer.offset)

    def renew(self) -> None:
        """Replace the client by a new one; no partition may be assigned.

        A client that has seen its coordinator go away does not always find it again.
        """
        self._close_client()
        self._open()

    def add(self, offsets: Mapping[Partition, int]) -> None:
        """Begin to read partitions at the given offsets."""
        self._consumer.incremental_assign(
            [TopicPartition(topic, number, offset) for (topic, number), offset in offsets.items()]
        )
        self.lags.update(dict.fromkeys(offsets, _BEHIND))

    def remove(self, partitions: Iterable[Partition]) -> None:
        """Stop reading partitions."""
        gone = [partition for partition in partitions if partition in self.lags]
        # The client would remember the pause: a partition that comes back would stay silent.
        self._resume_client(self._client_paused.intersection(gone))
        if gone:
            self._consumer.incremental_unassign([TopicPartition(*partition) for partition in gone])
        for partition in gone:
            del self.lags[partition]
            self._ends_met.pop(partition, None)
            self._buffer.drop(partition)
        self._paused.difference_update(gone)
        self._finished.difference_update(gone)

    def read(self, wait_seconds: float, limit: int) -> Batch:
        """Return up to `limit` records that have come, waiting at most so long for the first one;
        more if the last of them were buffered together with others.
        """
        batch: Batch = {}
        left = self._take_buffered(batch, limit)
        if left > 0:
            for portion in self._portions(0 if batch else wait_seconds, left):
                partition = portion[0], portion[1]
                if partition in self._paused or partition in self._buffer:
                    self._put_in_buffer(partition, portion)
                else:
                    self._take(portion, batch)
        if self._ends:
            self._stop_at_ends(batch)
        return batch

    def _portions(self, wait_seconds: float, limit: int) -> list[Portion]:
        """Read what has come; wait only if there is nothing, until `wake`."""
        if (portions := self._reader.read(0, limit)) or not wait_seconds:
            return portions
        # In this order: who has woken it before sees no wait, who does so later ends it.
        self._waits = True
        try:
            return self._reader.read(0 if self._woken else wait_seconds, limit)
        finally:
            self._waits = self._woken = False

    def pause(self, partition: Partition) -> None:
        """Read no more of a partition for now."""
        self._paused.add(partition)

    def resume(self, partition: Partition) -> None:
        """Read on."""
        if partition not in self._finished:
            self._paused.discard(partition)

    def position(self, partition: Partition) -> int | None:
        """Return the offset that will be read next; transaction markers count."""
        (answer,) = self._consumer.position([TopicPartition(*partition)])
        return None if answer.offset < 0 else int(answer.offset)

    def end_met(self, partition: Partition) -> int:
        """Return the offset at which a partition last had nothing more to read, -1 if none."""
        return self._ends_met.get(partition, -1)

    def lag(self, partitions: Iterable[Partition] | None = None) -> int | None:
        """Return how many offsets of these partitions, or of all, are left on the broker, None if
        not yet known.

        Sends no request: the client keeps the watermarks of the last fetches.
        """
        total = 0
        for partition in self.lags if partitions is None else partitions:
            if self.lags.get(partition):
                place = TopicPartition(*partition)
                known = self._consumer.get_watermark_offsets(place, cached=True)
                position = self.position(partition)
                if known is None or known[1] < 0 or position is None:
                    return None
                total += max(0, min(known[1], self._ends.get(partition, known[1])) - position)
                total += self._buffer.count(partition)
        return total

    def held_back(self) -> dict[Partition, HeldBack]:
        """Return what was written to partitions behind the end to which they can be read now.

        Sends no request: the client keeps the watermarks of the last fetches.
        """
        held: dict[Partition, HeldBack] = {}
        for partition, end in self._ends_met.items():
            if self.lags[partition] != _CAUGHT_UP or partition in self._finished:
                continue
            known = self._consumer.get_watermark_offsets(TopicPartition(*partition), cached=True)
            if known is not None and known[1] > end:
                held[partition] = HeldBack(end, known[1] - end)
        return held

    def wake(self) -> bool:
        """End the wait in `read`, which another thread calls, or of its next wait; no if that
        cannot be done. A read that does not wait is not cut short.
        """
        self._woken = True
        with self._waking:
            if not (self._is_open and self._reader.can_wake):
                return False
            if self._waits:
                self._reader.wake()
            return True

    def close(self) -> None:
        """Close the connection."""
        self._close_client()

    def _stop_at_ends(self, batch: Batch) -> None:
        """Keep only what comes before the end of a bounded partition, and read it no further."""
        for partition, end in self._ends.items():
            records = batch.get(partition)
            if not records or records[-1][OFFSET] < end - 1:
                continue
            batch[partition] = [record for record in records if record[OFFSET] < end]
            self.pause(partition)
            self._pause_client(partition)
            self._buffer.drop(partition)
            self._finished.add(partition)
            self.lags[partition] = _CAUGHT_UP

    def _take_buffered(self, batch: Batch, limit: int) -> int:
        """Take the buffered portions of resumed partitions; return how many records more there may
        be.
        """
        if self._client_paused and self._buffer.has_room:
            self._resume_client(self._client_paused - self._finished)
        for partition in self._buffer.partitions():
            while limit > 0 and partition in self._buffer and partition not in self._paused:
                portion = self._buffer.take(partition)
                limit -= len(portion[2])
                self._take(portion, batch)
        return limit

    def _put_in_buffer(self, partition: Partition, portion: Portion) -> None:
        if partition not in self.lags or partition in self._finished:
            return
        self.lags[partition] = _BEHIND
        self._buffer.put(partition, portion)
        if self._buffer.is_full:
            self._pause_client(partition)

    def _pause_client(self, partition: Partition) -> None:
        if partition not in self._client_paused:
            self._client_paused.add(partition)
            self._consumer.pause([TopicPartition(*partition)])

    def _resume_client(self, partitions: set[Partition]) -> None:
        if partitions:
            self._client_paused -= partitions
            self._consumer.resume([TopicPartition(*partition) for partition in partitions])

    def _open(self) -> None:
        self._reader = open_reader(self._settings)
        self._consumer = self._reader.consumer
        self._is_open = True

    def _close_client(self) -> None:
        with self._waking:
            self._is_open = False
        self._consumer.close()

    def _take(self, portion: Portion, batch: Batch) -> None:
        topic, number, records, event = portion
        partition = (topic, number)
        if event is not None:
            offset, error = event
            self._handle_event(error, partition, offset)
        elif partition in self.lags:
            self._missed.discard(partition)
            self.lags[partition] = _BEHIND
            known = batch.setdefault(partition, records)
            if known is not records:
                known += records

    def _handle_event(self, error: KafkaError, partition: Partition, offset: int) -> None:
        if error.code() == KafkaError._PARTITION_EOF:
            if partition in self.lags:
                self.lags[partition] = _CAUGHT_UP
                # Where reading would go on, behind any transaction markers.
                self._ends_met[partition] = offset
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            self._miss(partition, error)
        elif not is_retriable(error):
            reason = f"{error.str()}{allowing(error, 'READ', 'topic', partition[0])}"
            msg = f"topic {partition[0]!r}, partition {partition[1]} cannot be read: {reason}"
            raise StreamsError(msg)

    def _miss(self, partition: Partition, error: KafkaError) -> NoReturn:
        """Refuse to go on where records are gone.

        Another worker may have processed and deleted them while this one stood still, so the first
        time the work is dropped and begins at the committed offset. If that is gone as well, the
        records are lost.

        Raises:
            TaskMigrated: the first time.
            StreamsError: the second.
        """
        topic, number = partition
        what = f"topic {topic!r}, partition {number} no longer has the offset to go on from"
        if partition not in self._missed:
            self._missed.add(partition)
            msg = f"{what}: {error.str()}; the committed offset is asked for again"
            raise TaskMigrated(msg)
        msg = (
            f"{what}: {error.str()}; the records were deleted, by retention or by hand; nothing "
            "was reset: reset the application, or commit the offset to go on from"
        )
        raise StreamsError(msg)


def starting_offset(policy: str | None, topic: str) -> int:
    """Return where to begin on a partition without a committed offset."""
    if policy == "latest":
        return int(OFFSET_END)
    if policy == "none":
        msg = (
            f"topic {topic!r} has no committed offset and its offset_reset is 'none'; "
            "commit one, or choose 'earliest' or 'latest'"
        )
        raise StreamsError(msg)
    return int(OFFSET_BEGINNING)


def _named(partition: TopicPartition) -> str:
    return f"topic {partition.topic!r}, partition {partition.partition}"
