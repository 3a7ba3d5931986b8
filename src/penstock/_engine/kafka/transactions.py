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
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from penstock._engine.kafka.bulk import NO_ROOM, TAKEN, open_writer
from penstock._engine.kafka.faults import (
    BrokerAway,
    BrokerSilent,
    CommitPostponed,
    TaskMigrated,
    code_of,
    crash_point,
    is_migration,
    is_unsettled,
    may_pass,
)
from penstock._engine.runtime.collector import Output
from penstock._engine.runtime.commit import CommitOffset
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
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "let the application write to the topic",
}
# Longer than a transaction lasts: what is not answered by then is of no use any more.
_SEND_SECONDS = 20.0
# Short, since it is tried again, and meanwhile the worker can be told to stop.
_FLUSH_SECONDS = 10.0
_PREPARE_SECONDS = 5.0
_ABORT_SECONDS = 5.0
_ROOM_SECONDS = 0.1
_LEFT_BEHIND_SECONDS = 5.0


class Committer(Protocol):
    """Sends outputs and makes commits durable."""

    def prepare(self) -> None:
        """Be ready before the first send; CommitPostponed if that is not possible now."""

    def send(self, outputs: list[Output]) -> None:
        """Hand outputs to the producer."""

    def commit(self, offsets: Offsets, group_metadata: Any) -> None:
        """Make what was sent and `offsets` durable; TaskMigrated if the work is another's,
        CommitPostponed if it can be tried again as it is.
        """

    def abort(self) -> None:
        """Forget what was sent since the last commit, as far as the guarantee can."""

    def close(self) -> None:
        """Let go of the producer."""


class _Sender:
    """What both guarantees share: a producer and how records go into it."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._writer = open_writer(settings)
        self._producer = self._writer.producer

    def send(self, outputs: list[Output]) -> None:
        sent, error = self._writer.write(outputs, 0)
        while error != TAKEN:
            if error != NO_ROOM:
                raise _unwritten(outputs[sent][0], KafkaError(error))
            self._producer.poll(_ROOM_SECONDS)
            self._check()
            sent, error = self._writer.write(outputs, sent)
        self._producer.poll(0)
        self._check()

    def _flush(self) -> None:
        unwritten = self._producer.flush(_FLUSH_SECONDS)
        self._check()
        if unwritten:
            msg = f"{unwritten} records are not written after {_FLUSH_SECONDS:.0f} s"
            raise BrokerSilent(msg)

    def _check(self) -> None:
        if (failure := self._writer.failure()) is not None:
            raise _unwritten(*failure)


class AtLeastOnce(_Sender):
    """Flush, then commit offsets."""

    def __init__(self, settings: Mapping[str, Any], group: Consumer) -> None:
        super().__init__(settings)
        self._group = group

    def prepare(self) -> None:
        pass

    def commit(self, offsets: Offsets, group_metadata: Any) -> None:
        crash_point("before-flush")
        self._flush()
        crash_point("before-offsets")
        if offsets:
            try:
                self._group.commit(offsets=_positions(offsets), asynchronous=False)
            except KafkaException as error:
                raise _offsets_refused(code_of(error)) from error
        crash_point("after-commit")

    def abort(self) -> None:
        self._writer.failure()

    def close(self) -> None:
        self._producer.flush(_FLUSH_SECONDS)


class ExactlyOnce(_Sender):
    """One transaction for outputs, changelogs and offsets; begun by the first send."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._open = self._prepared = False

    def prepare(self) -> None:
        """Fence whoever had this id before, and end what it left open."""
        if self._prepared:
            return
        try:
            self._producer.init_transactions(_PREPARE_SECONDS)
        except KafkaException as error:
            if may_pass(code_of(error)):
                msg = f"transactions cannot begin: {code_of(error).str()}"
                raise BrokerSilent(msg) from error
            raise _explained(error) from error
        self._prepared = True

    def send(self, outputs: list[Output]) -> None:
        if outputs:
            self._begin()
            super().send(outputs)

    def commit(self, offsets: Offsets, group_metadata: Any) -> None:
        if not offsets and not self._open:
            return
        self._begin()
        try:
            crash_point("before-offsets")
            if offsets:
                self._add_offsets(offsets, group_metadata)
            crash_point("before-commit")
            self._producer.commit_transaction(_SEND_SECONDS)
            self._open = False
            crash_point("after-commit")
        except KafkaException as error:
            if not is_migration(code_of(error)):
                # If it failed since a record did, the report on that record says why.
                self._producer.poll(_ROOM_SECONDS)
                self._check()
            raise _explained(error) from error
        self._check()

    def abort(self) -> None:
        if self._open:
            self._open = False
            try:
                self._producer.abort_transaction(_ABORT_SECONDS)
            except KafkaException as error:
                # The next producer of this id ends it, or the broker when its time is over.
                _log.warning("a transaction could not be aborted: %s", code_of(error).str())
        # What the transaction was to write is no longer wanted.
        self._writer.failure()

    def close(self) -> None:
        self.abort()

    def _add_offsets(self, offsets: Offsets, group_metadata: Any) -> None:
        """Let the offsets join the transaction, on a thread that can be left behind.

        The client's own limit does not hold: when the group's coordinator has gone away it may wait
        for ever (librdkafka, issues 5456 and 5511). Such a producer is of no use any more.
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
        # Meanwhile the records go out: they would else wait for company until the commit. What goes
        # wrong is told by the answer to the offsets or to the commit; a fatal error in the midst of
        # reports on records is a SystemError to this client.
        with suppress(KafkaException, SystemError):
            self._producer.flush(_FLUSH_SECONDS)
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
                raise _explained(error) from error
            self._open = True


def _positions(offsets: Offsets) -> list[TopicPartition]:
    return [
        TopicPartition(topic, partition, commit.offset, commit.metadata)
        for (topic, partition), commit in offsets.items()
    ]


def _unwritten(topic: str, error: KafkaError) -> StreamsError:
    """Say why a record could not be written; what may pass is tried again, by whoever owns it."""
    told = f"a record for topic {topic!r} could not be written: {error.str()}"
    if is_migration(error):
        return TaskMigrated(f"{told}; another worker has taken over")
    if may_pass(error):
        return BrokerAway(f"{told}; the broker does not answer, or not in time")
    hint = _HINTS.get(error.code())
    return StreamsError(f"{told}; {hint}" if hint else told)


def _explained(error: KafkaException) -> StreamsError:
    inner = code_of(error)
    if is_migration(inner) or inner.txn_requires_abort():
        return TaskMigrated(f"the commit was refused, another worker has taken over: {inner.str()}")
    if may_pass(inner):
        return BrokerAway(f"the commit was not answered: {inner.str()}")
    return StreamsError(f"the commit failed: {inner.str()}")


def _offsets_refused(error: KafkaError) -> StreamsError:
    """Say why offsets were not committed. Without a transaction nothing that was written is taken
    back, so whatever may pass is waited for: dropping the work would only double it.
    """
    if is_unsettled(error):
        return CommitPostponed(f"the group is about to change: {error.str()}")
    if is_migration(error):
        return TaskMigrated(f"the commit was refused, another worker has taken over: {error.str()}")
    if may_pass(error):
        return BrokerSilent(f"the offsets could not be committed: {error.str()}")
    return StreamsError(f"the commit failed: {error.str()}")
