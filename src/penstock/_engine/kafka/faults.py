"""Faults of the Kafka client, and places where tests make a worker die or stand still.

`crash_point(name)` marks the boundary between two steps of the durable order. Where the environment
names one (`PENSTOCK_CRASH_AT=name[:count[:stop]]`), the process kills itself there, as a power cut
would, the `count`-th time it gets there; or it stops until somebody lets it go on.
"""

from __future__ import annotations

import os
import signal

from confluent_kafka import KafkaError, KafkaException

from penstock.errors import StreamsError

_VARIABLE = "PENSTOCK_CRASH_AT"
_visits: dict[str, int] = {}

_LOST_MEMBERSHIP = frozenset(
    {
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.FENCED_INSTANCE_ID,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError._FENCED,
        KafkaError.INVALID_PRODUCER_EPOCH,
        KafkaError.PRODUCER_FENCED,
        KafkaError._STATE,
    }
)


class TaskMigrated(StreamsError):
    """Somebody else owns the work now: what is not committed must be dropped.

    Java: TaskMigratedException.
    """


def crash_point(name: str) -> None:
    """Die here if a test asked for it."""
    wanted = os.environ.get(_VARIABLE)
    if wanted is None:
        return
    place, count, how = (*wanted.split(":"), *("1", "die")[wanted.count(":") :])
    if place == name:
        _visits[name] = _visits.get(name, 0) + 1
        if _visits[name] == int(count):
            _suffer(how)


def _suffer(how: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP if how == "stop" else signal.SIGKILL)


def code_of(error: KafkaException) -> KafkaError:
    """Give the KafkaError inside an exception."""
    inner = error.args[0]
    assert isinstance(inner, KafkaError)
    return inner


def is_migration(error: KafkaError) -> bool:
    """Tell whether the error means that this worker was replaced."""
    return error.code() in _LOST_MEMBERSHIP
