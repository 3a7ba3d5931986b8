"""The join of two streams, in a window of time. Java: KStreamJoinWindow, KStreamKStreamJoin.

A record is joined with the stored records of the other stream, then stored itself. In a left or
outer join an unmatched record waits until no match can come any more, by the time of both streams;
the next record of either stream at the newest time emits it, before its own pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from penstock._engine.operators.site import Process, Site
from penstock._engine.state.views.outer_join import OuterJoinState
from penstock._engine.topology.nodes.join_nodes import KeepForJoin, SelfJoin, StreamJoinSide
from penstock.record import HeaderPairs

Joiner: TypeAlias = Callable[[Any, Any, Any], Any]
"""`joiner(key, left, right)`, or `(key, own, other)` on one side."""

_NO_KEY_OR_VALUE = "it has no key or no value"

_NOTHING_WAITS: Final = 2**63 - 1
_LONGS: Final = 2**64


def keep_for_join(operation: KeepForJoin, site: Site) -> Process:
    """Forward each record to its join, then store it for the other stream."""
    state = site.window(operation.store.name)
    encode_key, put = state.encode_key, state.put_plain
    forward, failed = site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(key, value, timestamp, headers)
            if key is not None:
                put(encode_key(key), timestamp, value, timestamp, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    return process


def join_side(operation: StreamJoinSide, site: Site) -> Process:
    """Join the records of one stream with the stored ones of the other."""
    return (
        _inner_side(operation, site) if operation.waiting is None else _outer_side(operation, site)
    )


class JoinTime:
    """The time that both sides of a left or outer join share. Java: TimeTracker."""

    __slots__ = ("earliest_waiting", "next_look_ms", "stream_time")

    def __init__(self) -> None:
        self.stream_time = -1
        self.earliest_waiting = _NOTHING_WAITS
        """About the time of the first unmatched record; some may be earlier, as in Java."""
        self.next_look_ms = 0
        """Wall-clock time of the next look for overdue records."""


def _inner_side(operation: StreamJoinSide, site: Site) -> Process:
    other = site.window(operation.store.name)
    encode_key, fetch, decode = other.encode_key, other.fetch, other.decode_value
    joined = _on_side(operation)
    before, after = operation.before_ms, operation.after_ms
    forward, failed, drop = site.forward, site.failed, site.drop

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
                return
            since = timestamp - before if timestamp > before else 0
            until = timestamp + after
            for time, row in fetch(encode_key(key), since, until if until > 0 else 0):
                pair_time = time if time > timestamp else timestamp
                forward(key, joined(key, value, decode(row)), pair_time, headers)
        except Exception as error:
            failed(other.explained(error, key), key, value, timestamp, headers)

    return process


def _outer_side(operation: StreamJoinSide, site: Site) -> Process:
    assert operation.waiting is not None
    other, waiting = site.window(operation.store.name), site.outer_join(operation.waiting.name)
    time = site.shared(operation.waiting.name, JoinTime)
    emit_overdue = _look_for_overdue(operation, site, time, waiting)
    take_unmatched = _take_unmatched(operation, site, time, waiting)
    encode_key, fetch, decode = other.encode_key, other.fetch, other.decode_value
    joined, other_is_left, discard = _on_side(operation), not operation.is_left, waiting.discard
    keeps_own, keeps_other = operation.keeps_own, operation.keeps_other
    before, after = operation.before_ms, operation.after_ms
    forward, failed, drop = site.forward, site.failed, site.drop

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if timestamp > time.stream_time:
                time.stream_time = timestamp
            if value is None or (key is None and not keeps_own):
                drop(_NO_KEY_OR_VALUE)
                return
            if key is None:
                forward(key, joined(key, value, None), timestamp, headers)
                return
            if timestamp == time.stream_time:
                emit_overdue(timestamp, headers)
            raw_key, until = encode_key(key), timestamp + after
            since = timestamp - before if timestamp > before else 0
            rows = fetch(raw_key, since, until if until > 0 else 0)
            for start, row in rows:
                if keeps_other:
                    discard(raw_key, start, other_is_left, timestamp, headers)
                pair_time = start if start > timestamp else timestamp
                forward(key, joined(key, value, decode(row)), pair_time, headers)
            if keeps_own and not rows:
                take_unmatched(raw_key, key, value, timestamp, headers)
        except Exception as error:
            failed(other.explained(error, key), key, value, timestamp, headers)

    return process


def _take_unmatched(
    operation: StreamJoinSide, site: Site, time: JoinTime, waiting: OuterJoinState
) -> Callable[[bytes, Any, Any, int, HeaderPairs], None]:
    """Return the function that stores an unmatched record, or emits it if no match can come any
    more.
    """
    joined, is_left, after = _on_side(operation), operation.is_left, operation.after_ms
    forward, put = site.forward, waiting.put

    def take(raw_key: bytes, key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        if max(0, timestamp + after) < time.stream_time:
            # The grace does not count here: a match that comes out of order is emitted as well.
            forward(key, joined(key, value, None), timestamp, headers)
            return
        if timestamp < time.earliest_waiting:
            time.earliest_waiting = timestamp
        put(raw_key, timestamp, is_left, value, timestamp, headers)

    return take


def _look_for_overdue(
    operation: StreamJoinSide, site: Site, time: JoinTime, waiting: OuterJoinState
) -> Callable[[int, HeaderPairs], None]:
    """Return the function that emits overdue unmatched records, if it is time to look for them."""
    interval_ms, context = site.config.join_emit_interval_ms, site.context
    reach = operation.after_ms + operation.join_grace_ms
    emit = _emit_overdue(operation, site, time, waiting)

    def look(timestamp: int, headers: HeaderPairs) -> None:
        closes = time.earliest_waiting + reach
        if closes > _NOTHING_WAITS:
            closes -= _LONGS  # Java's number overflows, and so it looks while nothing waits
        if closes >= time.stream_time:
            return
        now_ms = context.current_system_time_ms
        if now_ms < time.next_look_ms:
            return
        time.next_look_ms = now_ms + interval_ms
        emit(timestamp, headers)

    return look


def _emit_overdue(
    operation: StreamJoinSide, site: Site, time: JoinTime, waiting: OuterJoinState
) -> Callable[[int, HeaderPairs], None]:
    joined = _of_both(operation.joiner, with_key=operation.with_key)
    decode_key = waiting.decode_key
    decode_left, decode_right = waiting.decode_left, waiting.decode_right
    left_reach = operation.left_reach_ms + operation.join_grace_ms
    right_reach = operation.right_reach_ms + operation.join_grace_ms
    forward, delete = site.forward, waiting.delete

    def emit(timestamp: int, headers: HeaderPairs) -> None:
        time.earliest_waiting = _NOTHING_WAITS
        last: tuple[bytes, int, bool] | None = None
        left_is_open = right_is_open = False
        for start, is_left, raw_key, data in waiting.all():
            time.earliest_waiting = start
            if left_is_open and right_is_open:
                break
            if start + (left_reach if is_left else right_reach) >= time.stream_time:
                if is_left:
                    left_is_open = True
                else:
                    right_is_open = True
                continue
            key = decode_key(raw_key)
            left = decode_left(data) if is_left else None
            right = None if is_left else decode_right(data)
            forward(key, joined(key, left, right), start, headers)
            # All values of a key and time are deleted at once, after the last of them is emitted.
            if last is not None and last != (raw_key, start, is_left):
                delete(*last, timestamp, headers)
            last = (raw_key, start, is_left)
        if last is not None:
            delete(*last, timestamp, headers)

    return emit


def self_join(operation: SelfJoin, site: Site) -> Process:
    """Join each record with the stored ones, then these with it, and it with itself in between, so
    that the times of the pairs never go back. Java: KStreamKStreamSelfJoin.
    """
    state = site.window(operation.store.name)
    encode_key, fetch, decode = state.encode_key, state.fetch, state.decode_value
    joined = _of_both(operation.joiner, with_key=operation.with_key)
    before, after = operation.before_ms, operation.after_ms
    retention = before + after + operation.join_grace_ms
    forward, failed, drop = site.forward, site.failed, site.drop
    stream_time = -1

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        nonlocal stream_time
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
                return
            with_itself = joined(key, value, value)
            stream_time = max(stream_time, timestamp)
            pending = timestamp > stream_time - retention + 1
            raw_key = encode_key(key)
            rows = fetch(raw_key, max(0, timestamp - before), max(0, timestamp + after))
            for start, row in rows:
                forward(key, joined(key, value, decode(row)), max(timestamp, start), headers)
            rows = fetch(raw_key, max(0, timestamp - after), max(0, timestamp + before))
            for start, row in rows:
                if start > timestamp and pending:
                    pending = False
                    forward(key, with_itself, timestamp, headers)
                forward(key, joined(key, decode(row), value), max(timestamp, start), headers)
            if pending:
                forward(key, with_itself, timestamp, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    return process


def _of_both(joiner: Callable[..., Any], *, with_key: bool) -> Joiner:
    """Return the joiner as a function of key, left and right value."""
    return joiner if with_key else lambda key, left, right: joiner(left, right)


def _on_side(operation: StreamJoinSide) -> Joiner:
    """Return the joiner as a function of key, own and other value."""
    joiner = operation.joiner
    if operation.is_left:
        return _of_both(joiner, with_key=operation.with_key)
    if operation.with_key:
        return lambda key, own, other: joiner(key, other, own)
    return lambda key, own, other: joiner(other, own)
