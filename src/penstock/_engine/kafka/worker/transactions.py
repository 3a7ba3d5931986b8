"""One commit becomes durable: the only module that knows the order.

Exactly-once: outputs, repartition and changelog records have been sent into the open transaction;
now (1) the consumed offsets join it, with the group metadata of the generation in which the work
was done, (2) it is committed, and only then (3) the caller makes local state visible. A crash
before (2) aborts everything and the records are read again; a crash between (2) and (3) is healed
by the changelog. At-least-once is the same without the transaction: what was sent is flushed before
the offsets are committed.
"""

from __future__ import annotations

import _thread
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from penstock._clock import monotonic
from penstock._engine.kafka.client.bulk import NO_ROOM, TAKEN, Unwritten, open_writer
from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    BrokerSilent,
    CommitPostponed,
    CommitUnanswered,
    RecordsRefused,
    TaskMigrated,
    code_of,
    crash_point,
    is_migration,
    is_of_the_record,
    is_retriable,
    is_unsettled,
)
from penstock._engine.kafka.client.denials import DENIED, allowing
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

Offsets = Mapping[tuple[str, int], CommitOffset]

_MISSING = "create the topic, or correct its name"
_HINTS: dict[int, str] = {
    KafkaError.UNKNOWN_TOPIC_OR_PART: _MISSING,
    KafkaError._UNKNOWN_TOPIC: _MISSING,
    KafkaError._UNKNOWN_PARTITION: "a partitioner must choose one that the topic has",
    KafkaError.MSG_SIZE_TOO_LARGE: (
        "raise 'producer.max.request.size' and the topic's 'max.message.bytes'"
    ),
}
_IN_THE_WAKE = frozenset(
    {
        KafkaError._INVALID_DIFFERENT_RECORD,
        KafkaError._PURGE_INFLIGHT,
        KafkaError._PURGE_QUEUE,
    }
)
# Longer than a transaction lasts: what is not answered by then is of no use any more.
_SEND_SECONDS = 20.0
# Short, since it is tried again, and the worker can be stopped in between.
_FLUSH_SECONDS = 10.0
_PREPARE_SECONDS = 5.0
_ABORT_SECONDS = 5.0
_ROOM_SECONDS = 0.1
_SLICE_SECONDS = 0.5
_LEFT_BEHIND_SECONDS = 5.0


class Committer(Protocol):
    """Sends outputs and makes commits durable."""

    def prepare(self) -> None:
        """Get ready for the first send; raises CommitPostponed if that is not possible now."""

    def send(self, outputs: list[Output]) -> None:
        """Hand outputs to the producer."""

    def flush(self) -> bool:
        """Wait until what was sent is written; return whether all of it is."""

    def commit(self, offsets: Offsets, group_metadata: Any, marks: Sequence[Output] = ()) -> bool:
        """Make what was sent and `offsets` durable, and `marks` of them: with them, or right
        behind them if there are no transactions; return whether the marks are written. Raises
        TaskMigrated if another worker owns the tasks, CommitPostponed if the same commit can be
        tried again.
        """

    def abort(self) -> None:
        """Abort what was sent since the last commit, if there are transactions."""

    def close(self) -> None:
        """Close the producer."""


class _Sender:
    """What both guarantees share: a producer and how records go into it."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._transactional_id = str(settings.get("transactional.id", ""))
        self._writer = open_writer(settings)
        self._producer = self._writer.producer
        self._failures: list[Unwritten] = []

    def send(self, outputs: list[Output]) -> None:
        sent, error = self._writer.write(outputs, 0)
        while error != TAKEN:
            if error != NO_ROOM:
                topic, partition, key, value, _, _ = outputs[sent]
                place = -1 if partition is None else partition
                raise self._unwritten([Unwritten(topic, place, key, value, KafkaError(error))])
            was_empty, tried = not len(self._producer), sent
            self._poll_deliveries(_ROOM_SECONDS)
            self._check()
            sent, error = self._writer.write(outputs, sent)
            if error == NO_ROOM and was_empty and sent == tried:
                error = KafkaError.MSG_SIZE_TOO_LARGE
        self._poll_deliveries(0)
        self._check()

    def _poll_deliveries(self, seconds: float) -> None:
        """Serve delivery reports; a producer that was fenced meanwhile raises here, too."""
        try:
            self._producer.poll(seconds)
        except KafkaException as error:
            msg = f"the producer is of no use any more: {code_of(error).str()}"
            raise TaskMigrated(msg) from error

    def flush(self) -> bool:
        # The commit that follows raises what goes wrong here. A fatal error during delivery reports
        # is a SystemError in this client.
        with suppress(KafkaException, SystemError):
            for _ in range(int(_FLUSH_SECONDS / _SLICE_SECONDS)):
                left = self._producer.flush(_SLICE_SECONDS)
                # A transaction in which a record was refused writes no more.
                self._failures += self._writer.failures()
                if not left or self._failures:
                    return not self._failures
        return False

    def _flush(self) -> None:
        unwritten = self._producer.flush(_FLUSH_SECONDS)
        self._check()
        if unwritten:
            msg = f"{unwritten} records are not written after {_FLUSH_SECONDS:.0f} s"
            raise BrokerSilent(msg)

    def _check(self) -> None:
        if (failed := self._failed()) is not None:
            raise failed

    def _failed(self) -> StreamsError | None:
        """Return, once, why records were not written, None if there are no such."""
        failures, self._failures = self._failures + self._writer.failures(), []
        return self._unwritten(failures) if failures else None

    def _unwritten(self, failures: list[Unwritten]) -> StreamsError:
        for failure in failures:
            if failure.error.code() == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
                return _denied(failure.error, self._transactional_id)
        return _unwritten(failures)


class Member(Protocol):
    """This worker's place in the group."""

    consumer: Consumer
    session_seconds: float

    def prove_ownership(self) -> None:
        """Raise TaskMigrated unless the broker confirms that the tasks are still this worker's."""


class AtLeastOnce(_Sender):
    """Flush, then commit offsets.

    Nothing fences the records of a producer without transactions. A process that stood still for so
    long that its session may be over asks the group before it writes: a late record in a changelog
    would take the place of the new owner's, and set its state back.
    """

    def __init__(self, settings: Mapping[str, Any], member: Member) -> None:
        super().__init__(settings)
        self._member = member
        self._seen, self._stood_still = monotonic(), False

    def prepare(self) -> None:
        self._look()

    def send(self, outputs: list[Output]) -> None:
        self._look()
        if self._stood_still:
            self._member.prove_ownership()
            self._stood_still = False
        super().send(outputs)

    def _look(self) -> None:
        """Note a standstill: normally the last look was a step or two ago."""
        before, self._seen = self._seen, monotonic()
        if self._seen - before > self._member.session_seconds / 2:
            self._stood_still = True

    def commit(self, offsets: Offsets, group_metadata: Any, marks: Sequence[Output] = ()) -> bool:
        crash_point("before-flush")
        self._flush()
        crash_point("before-offsets")
        if offsets:
            self._check_generation(group_metadata)
            try:
                self._member.consumer.commit(offsets=_positions(offsets), asynchronous=False)
            except KafkaException as error:
                raise _offsets_refused(code_of(error)) from error
            # The broker has confirmed the generation, however long its answer took.
            self._seen, self._stood_still = monotonic(), False
        crash_point("after-commit")
        # Not before: a mark says that its offset is committed.
        return not marks or self._are_written(marks)

    def _are_written(self, marks: Sequence[Output]) -> bool:
        """Write the marks of a commit that is done: a fault that may pass does not undo it."""
        try:
            super().send(list(marks))
            self._flush()
        except (TaskMigrated, CommitPostponed) as error:
            _log.warning("the marks of a commit are written with the next one: %s", error)
            return False
        return True

    def _check_generation(self, group_metadata: Any) -> None:
        """Refuse to commit with a generation whose assignment has not reached this worker: the
        broker checks that it is current, not who owns what. With a transaction the broker compares
        them itself.
        """
        if self._member.consumer.consumer_group_metadata() != group_metadata:
            msg = "the group has changed, and this worker has not been told yet what it has now"
            raise CommitPostponed(msg)

    def abort(self) -> None:
        self._failed()

    def close(self) -> None:
        self._producer.flush(_FLUSH_SECONDS)


class ExactlyOnce(_Sender):
    """One transaction for outputs, changelogs and offsets; begun by the first send."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._open = self._prepared = False

    def prepare(self) -> None:
        """Fence earlier producers of this id, and abort their open transaction."""
        if self._prepared:
            return
        try:
            self._producer.init_transactions(_PREPARE_SECONDS)
        except KafkaException as error:
            if is_retriable(code_of(error)):
                msg = f"transactions cannot begin: {code_of(error).str()}"
                raise BrokerSilent(msg) from error
            raise _explained(error, self._transactional_id) from error
        self._prepared = True

    def send(self, outputs: list[Output]) -> None:
        if outputs:
            self._begin()
            super().send(outputs)

    def commit(self, offsets: Offsets, group_metadata: Any, marks: Sequence[Output] = ()) -> bool:
        if not offsets and not self._open:
            return not marks
        self._begin()
        super().send(list(marks))
        try:
            crash_point("before-offsets")
            if offsets:
                self._add_offsets(offsets, group_metadata)
            crash_point("before-commit")
            self._producer.commit_transaction(_SEND_SECONDS)
            self._open = False
            crash_point("after-commit")
        except KafkaException as error:
            # If a record made it fail, the delivery report of that record says why.
            with suppress(TaskMigrated):
                self._poll_deliveries(_ROOM_SECONDS)
            failed = None if code_of(error).code() in DENIED else self._failed()
            says_why = isinstance(failed, RecordsRefused) or not is_migration(code_of(error))
            explained = _explained(error, self._transactional_id)
            raise (failed if failed and says_why else explained) from error
        self._check()
        return True

    def abort(self) -> None:
        if self._open:
            self._open = False
            try:
                self._producer.abort_transaction(_ABORT_SECONDS)
            except KafkaException as error:
                # The next producer of this id ends it, or the broker when its time is over.
                _log.warning("a transaction could not be aborted: %s", code_of(error).str())
        # The failures of the aborted transaction do not matter any more.
        self._failed()

    def close(self) -> None:
        self.abort()

    def _add_offsets(self, offsets: Offsets, group_metadata: Any) -> None:
        """Add the offsets to the transaction, on a thread that can be left behind.

        The client's own limit does not hold: when the group's coordinator has gone away it may wait
        for ever (librdkafka, issues 5456 and 5511). Such a producer cannot be used any more.
        """
        outcome: SimpleQueue[KafkaException | None] = SimpleQueue()

        def add() -> None:
            try:
                self._producer.send_offsets_to_transaction(
                    _positions(offsets), group_metadata, _SEND_SECONDS
                )
            except KafkaException as error:
                outcome.put(error)
            else:
                outcome.put(None)

        # Not a threading.Thread, whose start waits until it runs: on busy cores that takes
        # milliseconds, which each commit would lose.
        _thread.start_new_thread(add, ())
        # Meanwhile the records go out: else they would linger until the commit.
        self.flush()
        try:
            failure = outcome.get(timeout=_SEND_SECONDS + _LEFT_BEHIND_SECONDS)
        except Empty:
            self._open = False
            msg = f"the consumed offsets were not taken in {_SEND_SECONDS:.0f} s"
            raise BrokerAway(msg) from None
        if failure is not None:
            raise failure

    def _begin(self) -> None:
        if not self._open:
            try:
                self._producer.begin_transaction()
            except KafkaException as error:
                raise _explained(error, self._transactional_id) from error
            self._open = True


def open_committer(settings: Mapping[str, Any], member: Member) -> Committer:
    """Make a producer with these settings and its committer: transactions if they name an id."""
    if "transactional.id" in settings:
        return ExactlyOnce(settings)
    return AtLeastOnce(settings, member)


def _positions(offsets: Offsets) -> list[TopicPartition]:
    return [
        TopicPartition(topic, partition, commit.offset, commit.metadata)
        for (topic, partition), commit in offsets.items()
    ]


def _unwritten(failures: list[Unwritten]) -> StreamsError:
    """Return why records could not be written. Faults that may pass are retried by the tasks'
    owner; the production handler decides about a record that is refused for what it is.
    """
    # Records that failed only in the wake of others are written when those are dealt with.
    telling = [failure for failure in failures if failure.error.code() not in _IN_THE_WAKE]
    worst = min(telling or failures, key=lambda failure: _rank(failure.error))
    failure_text = f"a record for topic {worst.topic!r} could not be written: {worst.error.str()}"
    if is_migration(worst.error):
        return TaskMigrated(f"{failure_text}; another worker has taken over")
    if not telling or is_retriable(worst.error):
        return BrokerAway(f"{failure_text}; the broker does not answer, or not in time")
    hint = _HINTS.get(worst.error.code())
    failure_text += allowing(worst.error, "WRITE", "topic", worst.topic)
    explained = f"{failure_text}; {hint}" if hint else failure_text
    if is_of_the_record(worst.error):
        return RecordsRefused(explained, telling)
    return StreamsError(explained)


def _rank(error: KafkaError) -> int:
    """Return the rank of an error: the lowest decides what is raised."""
    if is_migration(error):
        return 0
    if is_retriable(error):
        return 1
    return 3 if is_of_the_record(error) else 2


def _explained(error: KafkaException, transactional_id: str) -> StreamsError:
    inner = code_of(error)
    if inner.code() in DENIED:
        # The client asks for an abort and another attempt, which would fare no better.
        return _denied(inner, transactional_id)
    if is_migration(inner) or inner.txn_requires_abort():
        return TaskMigrated(f"the commit was refused, another worker has taken over: {inner.str()}")
    if is_retriable(inner):
        return CommitUnanswered(f"the commit was not answered: {inner.str()}")
    return StreamsError(f"the commit failed: {inner.str()}")


def _denied(error: KafkaError, transactional_id: str) -> StreamsError:
    application_id = transactional_id.rpartition("-")[0]
    if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
        hint = allowing(error, "READ", "group", application_id)
    elif error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        hint = "; the application needs READ on the topics whose offsets it commits"
    else:
        hint = allowing(error, "WRITE", "transactional-id", f"{application_id}-")
    return StreamsError(f"the transaction is not allowed: {error.str()}{hint}")


def _offsets_refused(error: KafkaError) -> StreamsError:
    """Return why offsets were not committed. Without a transaction nothing that was written is
    aborted, so faults that may pass are waited for: dropping the work would only double it.
    """
    if is_unsettled(error):
        return CommitPostponed(f"the group is about to change: {error.str()}")
    if is_migration(error):
        return TaskMigrated(f"the commit was refused, another worker has taken over: {error.str()}")
    if is_retriable(error):
        return BrokerSilent(f"the offsets could not be committed: {error.str()}")
    return StreamsError(f"the commit failed: {error.str()}")
