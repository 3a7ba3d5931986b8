"""count, reduce and aggregate in windows of time. Java: KStreamWindowAggregate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from penstock._engine.operators.aggregate import fold_and_forward, functions_of
from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows.closing import (
    UNKNOWN,
    Bounds,
    EmitRange,
    Expiry,
    FinalResults,
    LateRecords,
    OperatorTime,
    RangeToEmit,
    go_on_when_idle,
)
from penstock._engine.operators.windows.window_ends import AlignedEnds
from penstock._engine.state.cache.fold import Fold
from penstock._engine.state.codec import unpack_timestamp
from penstock._engine.state.views.window import WindowState
from penstock._engine.topology.nodes.window_nodes import WindowAggregate
from penstock.record import HeaderPairs
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME, AlignedWindows, UnlimitedWindows

_NO_KEY = "it has no key"


def aggregate_windows(operation: WindowAggregate, site: Site) -> Process:
    """Fold each record into the aggregates of the windows that it is in."""
    state, windows = site.window(operation.store.name), operation.windows
    encode_key, around_key = state.encode_key, state.around_key
    failed, drop = site.failed, site.drop
    starts_of, size, grace = _starts(windows), windows.size_ms, windows.grace_ms
    time, late = OperatorTime(), LateRecords(operation, site, ")")
    final = _final_results(operation, site, state)
    emit_expiring = None if final is None else final.emit_expiring
    fold = _fold(operation, site, state)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                drop(_NO_KEY)
                return
            if timestamp > time.observed:
                time.observed = timestamp
                if emit_expiring is not None:
                    emit_expiring(timestamp, headers)
            close = time.observed - grace
            raw_key = encode_key(key)
            missed: list[Bounds] | None = None
            for start in starts_of(timestamp):
                if start + size > close:
                    before, behind = around_key[start]
                    fold(before + raw_key + behind, key, value, timestamp, headers)
                else:
                    missed = late.refuse(missed, start, start + size, time.observed)
            if missed is not None:
                late.send(missed, time.observed, (key, value, timestamp, headers))
            if final is not None:
                final.emit(close, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    go_on_when_idle(operation, site, time, grace, final)
    return process


def _fold(operation: WindowAggregate, site: Site, state: WindowState) -> Fold:
    """Return the function that adds a record to the window of a row key."""
    if operation.emits_on_close or state.forwards_at_flush(
        site.forward_at_flush, sends_old_values=operation.sends_old_values
    ):
        return state.folder(functions_of(operation))
    forward, start_of, size = site.forward, state.start_of, operation.windows.size_ms

    def forward_window(
        row_key: bytes, key: Any, change: tuple[Any, Any], timestamp: int, headers: HeaderPairs
    ) -> None:
        start = start_of(row_key)
        window = Windowed(key, start, min(start + size, END_OF_TIME))
        forward(window, change, timestamp, headers)

    return fold_and_forward(operation, state, (state.peek_row, state.put_row), forward_window)


def emit_windows(state: WindowState, forward: Process, *, keeps: bool) -> EmitRange:
    """Return the function that forwards the stored windows that begin in a range; unless `keeps`,
    as in Java, without expired ones.
    """
    fetch = state.fetch_kept if keeps else state.fetch_all
    decode_key, value_of = state.decode_key, state.value_of
    size = state.window_size_ms

    def emit_range(first: int, last: int, headers: HeaderPairs) -> int:
        count = 0
        for raw_key, start, row in fetch(first, last):
            windowed = Windowed(decode_key(raw_key), start, min(start + size, END_OF_TIME))
            forward(windowed, (value_of(row), None), unpack_timestamp(row)[0], headers)
            count += 1
        return count

    return emit_range


def _final_results(
    operation: WindowAggregate, site: Site, state: WindowState
) -> FinalResults | None:
    if not operation.emits_on_close:
        return None
    windows, keeps = operation.windows, site.config.keeps_final_results
    emit_range = emit_windows(state, site.forward, keeps=keeps)
    expiry = None
    if keeps:
        assert not isinstance(windows, UnlimitedWindows)
        ends = AlignedEnds(windows.size_ms, windows.advance_ms)
        expiry = Expiry(ends, state.kept_from, windows.grace_ms)
    return FinalResults(operation, site, _closed_between(windows), emit_range, expiry)


def _closed_between(windows: AlignedWindows) -> RangeToEmit:
    size, starts_of = windows.size_ms, _starts(windows)

    def range_to_emit(last_close: int, close: int) -> Bounds | None:
        last_start = close - size
        if last_start < 0:
            return None
        if last_close == UNKNOWN:
            return 0, last_start
        before = max(0, last_close - size)
        if starts_of(last_start) == starts_of(before):
            return None
        return before + 1, last_start

    return range_to_emit


def _starts(windows: AlignedWindows) -> Callable[[int], Sequence[int]]:
    """Return the function from a time to the starts of the windows that hold it, earliest first."""
    if isinstance(windows, UnlimitedWindows):
        first, the_only, none = windows.start_ms, (windows.start_ms,), ()
        return lambda timestamp: the_only if timestamp >= first else none
    size, advance = windows.size_ms, windows.advance_ms
    if advance == size:
        return lambda timestamp: (timestamp - timestamp % size,)
    reach = size - advance

    def hopping(timestamp: int) -> range:
        first = timestamp - reach
        return range(first - first % advance if first > 0 else 0, timestamp + 1, advance)

    return hopping
