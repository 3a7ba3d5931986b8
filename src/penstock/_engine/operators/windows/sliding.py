"""count, reduce and aggregate in sliding windows. Java: KStreamSlidingWindowAggregate.

A record has a *left* window, which ends with it, and a *right* one, which begins just after it if
there is a later record in it. A new record changes the windows that it falls into and may make its
own left and right window and the right one of the record before it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from penstock._engine.operators.aggregate import always_new
from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows.closing import (
    UNKNOWN,
    Bounds,
    Expiry,
    FinalResults,
    LateRecords,
    OperatorTime,
    RangeToEmit,
    go_on_when_idle,
    retention_of,
)
from penstock._engine.operators.windows.window_ends import CountedEnds
from penstock._engine.operators.windows.windowed import emit_windows
from penstock._engine.state.codec import TIMESTAMP_BYTES, timestamp_of
from penstock._engine.state.views.window import WindowState
from penstock._engine.topology.nodes.window_nodes import SlidingAggregate
from penstock.record import HeaderPairs
from penstock.windowed import Windowed

_NO_KEY_OR_VALUE = "it has no key or no value"


def aggregate_sliding(operation: SlidingAggregate, site: Site) -> Process:
    """Fold each record into the windows that it is in, and make those that begin or end with it."""
    state = site.window(operation.store.name)
    length, grace = operation.windows.difference_ms, operation.windows.grace_ms
    encode_key, failed, drop = state.encode_key, site.failed, site.drop
    time, late = OperatorTime(), LateRecords(operation, site, "]")
    ends = _ends_to_count(operation, site, state)
    final = _final_results(operation, site, state, ends)
    emit_expiring = None if final is None else final.emit_expiring
    update = _SlidingUpdate(operation, site, state, late, time)
    update.count_end = None if ends is None else ends.add

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
                return
            if timestamp > time.observed:
                time.observed = timestamp
                if emit_expiring is not None:
                    emit_expiring(timestamp, headers)
            close = time.observed - grace
            update.missed = None
            if timestamp + length < close:
                update.missed = late.refuse(None, timestamp, timestamp + length, time.observed)
            else:
                update.key, update.raw_key, update.value = key, encode_key(key), value
                update.timestamp, update.headers, update.close = timestamp, headers, close
                if timestamp < length:
                    update.place_early()
                else:
                    update.place()
            if update.missed is not None:
                late.send(update.missed, time.observed, (key, value, timestamp, headers))
            # As in Java, neither a late record nor one near time zero emits final results.
            if final is not None and length <= timestamp and close <= timestamp + length:
                final.emit(close, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    go_on_when_idle(operation, site, time, grace, final)
    return process


class _SlidingUpdate:
    """Puts the record in hand into its windows; one object, filled anew for each record.

    An operator is never called again while it processes a record: records only go down.
    """

    __slots__ = (
        "_aggregator",
        "_backward_fetch",
        "_copy",
        "_decode",
        "_fetch",
        "_forward",
        "_forwards_later",
        "_initializer",
        "_late",
        "_length",
        "_needs_old",
        "_put",
        "_time",
        "close",
        "count_end",
        "headers",
        "key",
        "missed",
        "raw_key",
        "timestamp",
        "value",
    )

    def __init__(
        self,
        operation: SlidingAggregate,
        site: Site,
        state: WindowState,
        late: LateRecords,
        time: OperatorTime,
    ) -> None:
        self._aggregator = operation.aggregator
        self._initializer = always_new(operation.initializer)
        self._length = operation.windows.difference_ms
        self._fetch = partial(state.fetch, as_range=True)
        self._backward_fetch = partial(state.backward_fetch, as_range=True)
        self._put, self._decode, self._copy = state.put, state.decode_value, state.copy
        self._forward, self._late, self._time = site.forward, late, time
        sends_old = operation.sends_old_values
        self._forwards_later = operation.emits_on_close or state.forwards_at_flush(
            site.forward_at_flush, sends_old_values=sends_old
        )
        self._needs_old = sends_old and not self._forwards_later
        self.count_end: Callable[[int], None] | None = None
        """Called with the end of each window that is put, if no final result may be lost."""
        self.key: Any = None
        self.raw_key = b""
        self.value: Any = None
        self.timestamp = UNKNOWN
        self.headers: HeaderPairs = ()
        self.close = UNKNOWN
        self.missed: list[Bounds] | None = None

    def place(self) -> None:
        """Add the record to its windows, the latest first, then make those that are missing."""
        timestamp, length = self.timestamp, self._length
        starts: set[int] = set()
        left_row = right_row = previous = None
        has_left = has_right = False
        earliest = max(0, timestamp - 2 * length)
        for start, row in self._backward_fetch(self.raw_key, earliest, timestamp + 1):
            starts.add(start)
            end = start + length
            if start > timestamp:
                has_right = True
            elif end > timestamp:
                if right_row is None:
                    right_row = row
                self._update(start, row, timestamp_of(row))
            elif end == timestamp:
                has_left = True
                self._update(start, row, last := timestamp_of(row))
                if last >= timestamp:
                    return  # a record of this very time has made all windows already
                previous = last
            else:
                left_row, previous = row, timestamp_of(row)
                break
        if (
            previous is not None
            and previous + 1 not in starts
            and previous + 1 + length >= timestamp
        ):
            self._update(previous + 1, None, timestamp)
        if not has_left:
            is_near = previous is not None and timestamp - length <= previous
            self._update(timestamp - length, left_row if is_near else None, timestamp)
        if not has_right:
            self._make_right(right_row)

    def place_early(self) -> None:
        """Add a record that is less than a window's length after time zero to its windows: all such
        records share the one that begins at zero.
        """
        timestamp = self.timestamp
        starts: set[int] = set()
        combined = right_row = previous = None
        has_right = False
        for start, row in self._fetch(self.raw_key, 0, timestamp + 1):
            starts.add(start)
            if start == 0:
                combined = row
                if timestamp_of(row) < timestamp:
                    previous = timestamp_of(row)
            elif start <= timestamp:
                right_row = row
                self._update(start, row, timestamp_of(row))
            else:
                has_right = True
        # Without a window in between, all later records are in the one from zero.
        if right_row is None and combined is not None and timestamp_of(combined) > timestamp:
            right_row = combined
        if not has_right:
            self._make_right(right_row)
        if previous is not None and previous + 1 not in starts:
            self._update(previous + 1, None, timestamp)
        self._update(0, combined, timestamp if combined is None else timestamp_of(combined))

    def _update(self, start: int, row: bytes | None, row_timestamp: int) -> None:
        """Add the record to a window that has the aggregate of `row`, or none yet."""
        end = start + self._length
        if end < self.close:
            self.missed = self._late.refuse(self.missed, start, end, self._time.observed)
            return
        old = None
        if row is None:
            aggregate = self._initializer()
            if self._needs_old:
                old = self._copy(aggregate)
        else:
            aggregate = self._decode(row[TIMESTAMP_BYTES:])
            if self._needs_old:
                old = self._decode(row[TIMESTAMP_BYTES:])
        new = self._aggregator(self.key, self.value, aggregate)
        new_timestamp = max(self.timestamp, row_timestamp)
        if self.count_end is not None:
            self.count_end(end)
        self._put(self.raw_key, start, new, new_timestamp, self.timestamp, self.headers)
        if not self._forwards_later:
            windowed = Windowed(self.key, start, end)
            self._forward(windowed, (new, old), new_timestamp, self.headers)

    def _make_right(self, row: bytes | None) -> None:
        """Make the window just after the record, if there are later records: `row` holds them."""
        if row is None or (last := timestamp_of(row)) <= self.timestamp:
            return
        start, value = self.timestamp + 1, self._decode(row[TIMESTAMP_BYTES:])
        if self.count_end is not None:
            self.count_end(start + self._length)
        self._put(self.raw_key, start, value, last, self.timestamp, self.headers)
        if not self._forwards_later:
            windowed = Windowed(self.key, start, start + self._length)
            self._forward(windowed, (value, None), last, self.headers)


def _ends_to_count(
    operation: SlidingAggregate, site: Site, state: WindowState
) -> CountedEnds | None:
    """Return the counter of windows' ends, None if results are not final or may be lost."""
    if not (operation.emits_on_close and site.config.keeps_final_results):
        return None
    length = operation.windows.difference_ms
    return CountedEnds(
        retention_of(operation), length, latest_end=lambda: state.observed_time() + length
    )


def _final_results(
    operation: SlidingAggregate, site: Site, state: WindowState, ends: CountedEnds | None
) -> FinalResults | None:
    if not operation.emits_on_close:
        return None
    windows = operation.windows
    emit_range = emit_windows(state, site.forward, keeps=ends is not None)
    expiry = None if ends is None else Expiry(ends, state.kept_from, windows.grace_ms)
    between = _closed_between(windows.difference_ms)
    return FinalResults(operation, site, between, emit_range, expiry)


def _closed_between(length: int) -> RangeToEmit:
    def range_to_emit(last_close: int, close: int) -> Bounds | None:
        last_start = close - length - 1
        if last_start < 0:
            return None
        return (0 if last_close == UNKNOWN else max(0, last_close - length)), last_start

    return range_to_emit
