"""count, reduce and aggregate in sessions. Java: KStreamSessionWindowAggregate.

A record merges all sessions within the gap into one. The old sessions are deleted, in the order of
their ends, even if the new one has the bounds of an old one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from penstock._engine.operators.aggregate import always_new
from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows.closing import (
    Bounds,
    Expiry,
    FinalResults,
    LateRecords,
    OperatorTime,
    go_on_when_idle,
    retention_of,
)
from penstock._engine.operators.windows.window_ends import CountedEnds
from penstock._engine.state.views.session import SessionState
from penstock._engine.topology.nodes.window_nodes import SessionAggregate
from penstock.record import HeaderPairs
from penstock.windowed import Windowed

Session: TypeAlias = tuple[int, int, Any]
"""(start, end, aggregate or its bytes)."""
Replace: TypeAlias = Callable[[list[Session], Session, Any, bytes, Any, int, HeaderPairs], None]

_NO_KEY = "it has no key"


def aggregate_sessions(operation: SessionAggregate, site: Site) -> Process:
    """Fold each record into its session: an old one, a new one, or several merged into one."""
    state, gap = site.session(operation.store.name), operation.windows.gap_ms
    closes_after = gap + operation.windows.grace_ms
    initializer, merger = always_new(operation.initializer), operation.merger
    decode, encode_key, find = state.decode_value, state.encode_key, state.find_sessions
    failed, drop = site.failed, site.drop
    time, late = OperatorTime(), LateRecords(operation, site, "]")
    ends = _ends_to_count(operation, site, state)
    final = _final_results(operation, site, state, ends)
    emit_expiring = None if final is None else final.emit_expiring
    replace = _replace(operation, site, state, ends)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                drop(_NO_KEY)
                return
            if timestamp > time.observed:
                time.observed = timestamp
                if emit_expiring is not None:
                    emit_expiring(timestamp, headers)
            close = time.observed - closes_after
            raw_key = encode_key(key)
            aggregate, start, end = initializer(), timestamp, timestamp
            found = find(raw_key, timestamp - gap, timestamp + gap)
            for its_start, its_end, row in found:
                aggregate = merger(key, aggregate, decode(row))
                start, end = min(start, its_start), max(end, its_end)
            if end >= close:
                session = (start, end, aggregate)
                replace(found, session, key, raw_key, value, timestamp, headers)
            elif (missed := late.refuse(None, start, end, time.observed)) is not None:
                late.send(missed, time.observed, (key, value, timestamp, headers))
            if final is not None:
                final.emit(close, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    go_on_when_idle(operation, site, time, closes_after, final)
    return process


def _replace(
    operation: SessionAggregate, site: Site, state: SessionState, ends: CountedEnds | None
) -> Replace:
    """Return the function that replaces sessions by one that includes the record."""
    aggregator, decode, forward = operation.aggregator, state.decode_value, site.forward
    remove, put, sends_old = state.remove, state.put, operation.sends_old_values
    forwards_later = operation.emits_on_close or state.forwards_at_flush(
        site.forward_at_flush, sends_old_values=sends_old
    )

    def replace(  # noqa: PLR0917 - called for each record: a tuple would cost time
        found: list[Session],
        session: Session,
        key: Any,
        raw_key: bytes,
        value: Any,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        start, end, aggregate = session
        if start != timestamp or end != timestamp:
            for its_start, its_end, row in found:
                remove(raw_key, its_start, its_end, timestamp, headers)
                if ends is not None:
                    ends.remove(its_end)
                if not forwards_later:
                    change = (None, decode(row) if sends_old else None)
                    forward(Windowed(key, its_start, its_end), change, its_end, ())
        new = aggregator(key, value, aggregate)
        if ends is not None:
            ends.add(end)
        put(raw_key, start, end, new, timestamp, headers)
        if not forwards_later:
            # As in Java, the change of a session has no headers.
            forward(Windowed(key, start, end), (new, None), end, ())

    return replace


def _ends_to_count(
    operation: SessionAggregate, site: Site, state: SessionState
) -> CountedEnds | None:
    """Return the counter of sessions' ends, None if results are not final or may be lost."""
    if not (operation.emits_on_close and site.config.keeps_final_results):
        return None
    return CountedEnds(retention_of(operation), 0, latest_end=state.observed_time)


def _final_results(
    operation: SessionAggregate, site: Site, state: SessionState, ends: CountedEnds | None
) -> FinalResults | None:
    if not operation.emits_on_close:
        return None
    find_closed = state.find_closed if ends is None else state.find_kept
    decode_key, value_of, forward = state.decode_key, state.value_of, site.forward

    def emit_range(first: int, last: int, headers: HeaderPairs) -> int:
        count = 0
        for raw_key, start, end, row in find_closed(first, last):
            windowed = Windowed(decode_key(raw_key), start, end)
            forward(windowed, (value_of(row), None), end, headers)
            count += 1
        return count

    windows, expiry = operation.windows, None
    if ends is not None:
        expiry = Expiry(ends, state.kept_from, windows.gap_ms + windows.grace_ms)
    return FinalResults(operation, site, _ended_between, emit_range, expiry)


def _ended_between(last_close: int, close: int) -> Bounds | None:
    first, last = max(0, last_close), close - 1
    return (first, last) if last >= first else None
