"""Timestamp extractors, as the table of semantics 2.1 has them."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from penstock import Headers, StreamsError
from penstock._clock import ManualClock
from penstock.record import ConsumerRecord
from penstock.timestamps import (
    EventTimestampExtractor,
    FailOnInvalidTimestamp,
    LogAndSkipOnInvalidTimestamp,
    TimestampExtractor,
    UsePartitionTimeOnInvalidTimestamp,
    WallclockTimestampExtractor,
)


def record(timestamp: int, value: Any = None) -> ConsumerRecord:
    return ConsumerRecord("t", 0, 7, timestamp, None, value, Headers())


@pytest.mark.parametrize(
    ("extractor", "timestamp", "partition_time", "expected"),
    [
        (FailOnInvalidTimestamp(), 5, 9, 5),
        (FailOnInvalidTimestamp(), 0, 9, 0),
        (LogAndSkipOnInvalidTimestamp(), 5, 9, 5),
        (LogAndSkipOnInvalidTimestamp(), -5, 9, -5),
        (UsePartitionTimeOnInvalidTimestamp(), 5, 9, 5),
        (UsePartitionTimeOnInvalidTimestamp(), -5, 9, 9),
        (UsePartitionTimeOnInvalidTimestamp(), -5, 0, 0),
        (WallclockTimestampExtractor(ManualClock(77)), 5, 9, 77),
        (WallclockTimestampExtractor(ManualClock(77)), -5, 9, 77),
    ],
)
def test_extracted_time(
    extractor: TimestampExtractor, timestamp: int, partition_time: int, expected: int
) -> None:
    assert extractor(record(timestamp), partition_time) == expected


@pytest.mark.parametrize(
    ("extractor", "partition_time"),
    [(FailOnInvalidTimestamp(), 9), (UsePartitionTimeOnInvalidTimestamp(), -1)],
)
def test_no_time_is_an_error(extractor: TimestampExtractor, partition_time: int) -> None:
    with pytest.raises(StreamsError, match="a record's timestamp must not be negative; got -5"):
        extractor(record(-5), partition_time)


def test_a_skipped_record_is_logged_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        LogAndSkipOnInvalidTimestamp()(record(-5), 9)
    assert caplog.messages == [
        "record skipped, negative timestamp -5 at topic 't', partition 0, offset 7"
    ]


NOON = datetime(1970, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (5, 5),
        (-5, -5),
        (NOON, 86_400_000),
        (NOON.astimezone(timezone(timedelta(hours=2))), 86_400_000),
        (NOON + timedelta(microseconds=1500), 86_400_001),
    ],
)
def test_event_time_is_milliseconds_or_an_aware_datetime(
    time: int | datetime, expected: int
) -> None:
    assert (
        EventTimestampExtractor(lambda value: value["at"])(record(1, {"at": time}), 9) == expected
    )


def test_event_time_of_a_null_value_is_the_records_own() -> None:
    assert EventTimestampExtractor(lambda value: value["at"])(record(1), 9) == 1


def test_a_datetime_without_a_zone_is_refused() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - what is refused
    with pytest.raises(StreamsError, match="must be milliseconds or an aware datetime; got"):
        EventTimestampExtractor(lambda value: value)(record(1, naive), 9)
