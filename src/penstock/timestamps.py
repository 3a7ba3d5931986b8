"""Timestamp extractors: which time a record has.

An extractor is any callable `(record, partition_time) -> milliseconds`; the classes here are Kafka
Streams' own. `record` is a `penstock.ConsumerRecord`: topic, partition, offset, timestamp, headers,
and key and value as the serdes of the source decode them. `partition_time` is the highest timestamp
seen so far on that partition, -1 before the first. A negative result drops the record and counts it
in `dropped-records-total`.

```python
def when_measured(record: ConsumerRecord, partition_time: int) -> int:
    return record.value["measured_ms"]
```
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from penstock._clock import Clock, SystemClock
from penstock.errors import StreamsError
from penstock.record import ConsumerRecord

__all__ = [
    "EventTimestampExtractor",
    "FailOnInvalidTimestamp",
    "LogAndSkipOnInvalidTimestamp",
    "TimestampExtractor",
    "UsePartitionTimeOnInvalidTimestamp",
    "WallclockTimestampExtractor",
]

TimestampExtractor: TypeAlias = Callable[[ConsumerRecord, int], int]
"""`(record, partition_time)` -> the time of the record in milliseconds: a function, or one of the
classes below. `partition_time` is the highest time of the partition so far, -1 before the first.

>>> later = Consumed(text, number, timestamp_extractor=lambda record, time: record.timestamp + 1)
>>> builder.stream("readings", later).to("later-readings")
"""

_log = logging.getLogger(__name__)


class FailOnInvalidTimestamp:
    """Take the record's own timestamp; fail if it is negative. The default.

    >>> from penstock.timestamps import FailOnInvalidTimestamp
    >>> strict = Consumed(text, number, timestamp_extractor=FailOnInvalidTimestamp())
    >>> builder.stream("readings", strict).to("checked-readings")
    """

    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        if record.timestamp < 0:
            msg = (
                f"a record's timestamp must not be negative; got {record.timestamp}; use "
                "LogAndSkipOnInvalidTimestamp or UsePartitionTimeOnInvalidTimestamp to go on"
            )
            raise StreamsError(msg)
        return record.timestamp


class LogAndSkipOnInvalidTimestamp:
    """Take the record's own timestamp; drop the record if it is negative.

    >>> from penstock.timestamps import LogAndSkipOnInvalidTimestamp
    >>> lenient = Consumed(text, number, timestamp_extractor=LogAndSkipOnInvalidTimestamp())
    >>> builder.stream("readings", lenient).to("checked-readings")
    """

    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        if record.timestamp < 0:
            _log.warning(
                "record skipped, negative timestamp %d at %s", record.timestamp, _place(record)
            )
        return record.timestamp


class UsePartitionTimeOnInvalidTimestamp:
    """Take the record's own timestamp; if it is negative, the highest one seen on the partition.

    >>> from penstock.record import ConsumerRecord
    >>> from penstock.timestamps import UsePartitionTimeOnInvalidTimestamp
    >>> record = ConsumerRecord("readings", 0, 7, -1, "ann", 5, Headers())
    >>> UsePartitionTimeOnInvalidTimestamp()(record, 60_000)
    60000
    """

    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        if record.timestamp >= 0:
            return record.timestamp
        if partition_time < 0:
            msg = (
                f"a record's timestamp must not be negative; got {record.timestamp}, and there is "
                "no partition time yet to use instead"
            )
            raise StreamsError(msg)
        return partition_time


class WallclockTimestampExtractor:
    """Take the time at which the record is processed.

    >>> from penstock.timestamps import WallclockTimestampExtractor
    >>> now = Consumed(text, number, timestamp_extractor=WallclockTimestampExtractor())
    >>> builder.stream("readings", now).to("stamped-readings")
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        return self._clock.now_ms()


class EventTimestampExtractor:
    """Take the time from the value: `EventTimestampExtractor(lambda order: order.created_at)`.

    The function returns milliseconds or an aware `datetime`; it is not called for a null value,
    whose record keeps its own timestamp.

    >>> from penstock.record import ConsumerRecord
    >>> from penstock.timestamps import EventTimestampExtractor
    >>> record = ConsumerRecord("orders", 0, 7, 0, "ann", {"created": 60_000}, Headers())
    >>> EventTimestampExtractor(lambda order: order["created"])(record, 0)
    60000
    """

    def __init__(self, field: Callable[[Any], int | datetime]) -> None:
        self._field = field

    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        if record.value is None:
            return record.timestamp
        time = self._field(record.value)
        if isinstance(time, datetime):
            if time.tzinfo is None:
                msg = f"an event time must be milliseconds or an aware datetime; got {time!r}"
                raise StreamsError(msg)
            return int(time.timestamp() * 1000)
        return time


def _place(record: ConsumerRecord) -> str:
    return f"topic {record.topic!r}, partition {record.partition}, offset {record.offset}"
