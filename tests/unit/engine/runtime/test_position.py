"""Where a task stands."""

from __future__ import annotations

from penstock import RecordMetadata
from penstock._engine.runtime.position import Position, RawScope


def test_nothing_is_known_at_first() -> None:
    position = Position()
    assert (position.offset, position.stream_time_ms, position.wall_clock_ms) == (-1, -1, -1)


def test_the_record_in_hand_is_known_by_its_place() -> None:
    position = Position()
    position.topic, position.partition, position.raw = "in", 2, (7, 5, b"k", b"v", ())
    assert position.metadata() == RecordMetadata("in", 2, 7)


def test_a_timer_has_no_record() -> None:
    position = Position()
    position.topic, position.partition, position.raw = "in", 2, (7, 5, b"k", b"v", ())
    position.enter_timer(30)
    assert position.metadata() == RecordMetadata(None, -1, -1)
    assert position.timestamp == 30


def test_raw_bytes_are_let_go_where_something_was_sent_and_below() -> None:
    above = RawScope()
    below, beside = RawScope(above), RawScope(above)
    below.sent = True
    assert (above.released(), below.released(), beside.released()) == (False, True, False)
    above.sent = True
    assert beside.released()
