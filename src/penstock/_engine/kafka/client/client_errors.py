"""Faults of the Kafka client, and places where tests make a worker die or stand still.

`crash_point(name)` marks the boundary between two steps of the durable order. Where the environment
names one (`PENSTOCK_CRASH_AT=name[:count[:stop]]`), the process kills itself there, as a power cut
would, the `count`-th time it gets there; or it stops (SIGSTOP) until the test continues it.
`@FILE` names a file that says the same; only one process dies of it, and removes it before.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import KafkaError, KafkaException

from penstock.errors import StreamsError

if TYPE_CHECKING:
    from penstock._engine.kafka.client.bulk import Unwritten

_VARIABLE = "PENSTOCK_CRASH_AT"
_visits: dict[str, int] = {}

_LOST_MEMBERSHIP = frozenset(
    {
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.FENCED_INSTANCE_ID,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError._FENCED,
        # The requests that a fenced client still has in flight fail with this; it cannot be used
        # again.
        KafkaError._FATAL,
        KafkaError.INVALID_PRODUCER_EPOCH,
        KafkaError.PRODUCER_FENCED,
        KafkaError._STATE,
    }
)


_UNSETTLED = frozenset({KafkaError.ILLEGAL_GENERATION, KafkaError.REBALANCE_IN_PROGRESS})

# Earlier clients have no name for it.
_DESTROY_BROKER = -137

_OUTDATED = frozenset(
    {
        KafkaError._NOENT,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
    }
)

_RETRIABLE = _OUTDATED | frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        # Another thread has replaced the client, and the request was still under way.
        KafkaError._DESTROY,
        # A request on a bootstrap connection, which ends once the broker behind it is known.
        _DESTROY_BROKER,
        KafkaError._MSG_TIMED_OUT,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
        KafkaError._WAIT_COORD,
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        # A broker that has just started does not know all offsets yet.
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.NOT_CONTROLLER,
        KafkaError.NOT_COORDINATOR,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.THROTTLING_QUOTA_EXCEEDED,
    }
)


_FATAL = frozenset(
    {
        KafkaError._AUTHENTICATION,
        KafkaError._INVALID_ARG,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.SECURITY_DISABLED,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.TOPIC_EXCEPTION,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN,
    }
)


class TaskMigrated(StreamsError):
    """Another worker owns the tasks now: uncommitted work must be dropped.

    Java: TaskMigratedException.
    """


class BrokerAway(TaskMigrated):
    """The cluster does not answer, and uncommitted work must be dropped: whether it reached the
    cluster is not known. The records are read again when the cluster is back.
    """


class CommitUnanswered(BrokerAway):
    """The commit itself was not answered, no record has failed: the same call goes on with it."""


class RecordsRefused(TaskMigrated):
    """The broker has refused records. What is not committed is dropped and processed again: then
    they are recognised before they are sent, and the production handler is asked
    (`refused_records.py`).
    """

    def __init__(self, message: str, records: Sequence[Unwritten]) -> None:
        super().__init__(message)
        self.records = records


class TaskCorrupted(StreamsError):
    """Local state cannot be brought up to date any more: it must be restored from the beginning of
    its changelogs. Java: TaskCorruptedException.
    """

    def __init__(self, message: str, changelog: tuple[str, int]) -> None:
        super().__init__(message)
        self.changelog = changelog


class GlobalTablesOutdated(StreamsError):
    """The local copy of global tables cannot be brought up to date any more: it must be read from
    the beginning of their topics.
    """


class CommitPostponed(StreamsError):
    """A commit is not possible now. Nothing is dropped; it is tried again."""


class BrokerSilent(CommitPostponed):
    """A commit is not possible now, because the cluster does not answer."""


class TaskTimeout:
    """Tolerates faults of the cluster for `task.timeout.ms`, then raises. Java:
    StreamTask.maybeInitTaskTimeoutOrThrow.
    """

    def __init__(self, timeout_ms: int) -> None:
        self._timeout_seconds = timeout_ms / 1000
        self._since = 0.0
        self._attempts = 0

    @property
    def has_begun(self) -> bool:
        """Whether the last that was heard of the cluster is a fault."""
        return self._attempts > 0

    def record_failure(self, fault: StreamsError, now: float) -> None:
        """Record a fault, `now` in seconds.

        Raises:
            StreamsError: the cluster has not answered for longer than is allowed.
        """
        self._attempts += 1
        if self._attempts == 1:
            self._since = now
        seconds = now - self._since
        if seconds >= self._timeout_seconds:
            msg = (
                f"the work could not go on for {seconds:.0f} s, which is as long as "
                f"'task.timeout.ms' allows; tried {self._attempts} times, at last: {fault}"
            )
            raise StreamsError(msg) from fault

    def reset(self) -> None:
        """Start over: the cluster has answered."""
        self._attempts = 0


def crash_point(name: str) -> None:
    """Kill or stop this process here if a test asked for it."""
    wanted = os.environ.get(_VARIABLE)
    if wanted is None:
        return
    file = Path(wanted[1:]) if wanted.startswith("@") else None
    if file is not None:
        wanted = file.read_text("utf-8") if file.exists() else ""
    place, count, how = (*wanted.split(":"), *("1", "die")[wanted.count(":") :])
    if place == name:
        _visits[name] = _visits.get(name, 0) + 1
        if _visits[name] == int(count) and (file is None or _removed(file)):
            _kill_self(how)


def _removed(file: Path) -> bool:
    """Remove a file; no if another process was quicker."""
    _visits.clear()
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    return True


def _kill_self(how: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP if how == "stop" else signal.SIGKILL)


def code_of(error: KafkaException) -> KafkaError:
    """Return the KafkaError inside an exception."""
    inner = error.args[0]
    assert isinstance(inner, KafkaError)
    return inner


def is_migration(error: KafkaError) -> bool:
    """Yes if the error means that this worker was replaced."""
    return error.code() in _LOST_MEMBERSHIP


def is_unsettled(error: KafkaError) -> bool:
    """Yes if the error means that the group is rebalancing: the next poll brings the assignment."""
    return error.code() in _UNSETTLED


def is_outdated(error: KafkaError) -> bool:
    """Yes if the error means that a partition's leader is another than the client knows."""
    return error.code() in _OUTDATED


def is_retriable(error: KafkaError) -> bool:
    """Yes if the same request may be answered later."""
    return error.code() in _RETRIABLE or error.retriable()


def is_of_the_record(error: KafkaError) -> bool:
    """Yes if a record was refused for what it is, so that others may still be written.

    Java: RecordCollectorImpl.isFatalException says what is not.
    """
    return not error.fatal() and error.code() not in _FATAL
