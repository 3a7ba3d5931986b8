"""The shapes that a record takes on its way through a task, each a plain tuple: there are millions.

    RawRecord      as read from a partition, bytes
    Admitted       decoded and stamped (`input/intake.py`)
    Head           the same with its raw form: what waits first in a queue (`input/record_queue.py`)
    Output         as it leaves the task, bytes again (`output/collector.py`)

Operators take the fields of one record as arguments (`operators/site.py: Process`). A store is
restored from `ChangelogRecord`s. C reads these tuples by position: an order that changes here
changes in `_engine/fast` too.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from penstock.record import HeaderPairs

RawRecord: TypeAlias = tuple[int, int, bytes | None, bytes | None, HeaderPairs]
"""(offset, timestamp, key, value, headers)."""
OFFSET: Final = 0
TIMESTAMP: Final = 1
KEY: Final = 2
VALUE: Final = 3
HEADERS: Final = 4

Admitted: TypeAlias = tuple[int, Any, Any]
"""(timestamp, key, value)."""

Head: TypeAlias = tuple[int, Any, Any, RawRecord]
"""(timestamp, key, value, raw)."""
RAW: Final = 3

Output: TypeAlias = tuple[str, int | None, bytes | None, bytes | None, int | None, HeaderPairs]
"""(topic, partition or None for Kafka's choice, key, value, timestamp or None for the time of
sending, headers).
"""
OUTPUT_TIMESTAMP: Final = 4

ChangelogRecord: TypeAlias = tuple[bytes, bytes | None, int]
"""(key, value, timestamp); a value of None deletes."""
