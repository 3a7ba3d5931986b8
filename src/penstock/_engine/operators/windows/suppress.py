"""suppress: buffer the changes of rows, and emit only the last ones. Java:
KTableSuppressProcessorSupplier.

A row is due when the operator's stream time has passed the row's time in the buffer, that of its
first change or the end of its window, by the wait. After that the buffer's limits are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows.closing import OperatorTime
from penstock._engine.state.suppression_buffer import Held
from penstock._engine.topology.nodes.table_nodes import TableSuppress
from penstock.errors import StreamsError
from penstock.record import Change, HeaderPairs


def suppress_changes(operation: TableSuppress, site: Site) -> Process:
    """Buffer changes until they are due or the buffer is full."""
    state, time = site.suppression(operation.store.name), OperatorTime()
    encode_key, encode_value = state.encode_key, state.encode_value
    put, position, failed = state.put, site.position, site.failed
    until_close = operation.until_window_closes
    emit_due = _emitting_due(operation, site, time)

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if timestamp > time.observed:
                time.observed = timestamp
            new, old = encode_value(change[0]), encode_value(change[1])
            record = (timestamp, headers, position.topic, position.partition, position.raw)
            due = _window_end(key) if until_close else timestamp
            put(encode_key(key), due, new, old, record)
            emit_due()
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    if operation.idle_after_ms is not None:
        context = site.context

        def go_on(elapsed_ms: int, period: int) -> bool:
            if not time.go_on(elapsed_ms, period, context.current_stream_time_ms):
                return False
            return emit_due()

        site.watch_idle(operation.idle_after_ms, go_on)
    return process


def _emitting_due(operation: TableSuppress, site: Site, time: OperatorTime) -> Callable[[], bool]:
    """Return the function that emits due rows, and those that the buffer has no room for."""
    state = site.suppression(operation.store.name)
    buffer, pop_first, emit = state.buffer, state.pop_first, _counting(operation, site)
    wait_ms, emits_early = operation.wait_ms, operation.emits_early_when_full
    max_records, max_bytes = operation.max_records, operation.max_bytes
    is_bounded = max_records is not None or max_bytes is not None

    def is_full() -> bool:
        return (max_records is not None and len(buffer) > max_records) or (
            max_bytes is not None and buffer.size_bytes > max_bytes
        )

    def emit_first() -> None:
        key = buffer.queue[0][1]
        emit(key, buffer.held[key])
        # Only now: a lookup of the row while it is forwarded returns the old value.
        pop_first()

    def emit_due() -> bool:
        count, due = len(buffer), time.observed - wait_ms
        while buffer.queue and buffer.queue[0][0] <= due:
            emit_first()
        if is_bounded and is_full():
            if not emits_early:
                raise StreamsError(_too_full(operation, site, len(buffer), buffer.size_bytes))
            while buffer.queue and is_full():
                emit_first()
        return len(buffer) < count

    return emit_due


def _counting(operation: TableSuppress, site: Site) -> Callable[[bytes, Held], None]:
    """Return the function that forwards a row; at the recording level DEBUG it is counted."""
    emit = _emitting(operation, site)
    if not site.config.records_debug_metrics:
        return emit
    emitted = site.context.metrics.add_rate_total_sensor(
        "processor-node", site.name, "suppression-emit", level="DEBUG"
    )

    def emit_counted(raw_key: bytes, held: Held) -> None:
        emitted.record()
        emit(raw_key, held)

    return emit_counted


def _emitting(operation: TableSuppress, site: Site) -> Callable[[bytes, Held], None]:
    """Return the function that forwards a row with the record that changed it last in hand."""
    state, position = site.suppression(operation.store.name), site.position
    forward = site.forward_at_flush  # an emitted row has the bytes of its own record
    decode_key, decode_value = state.decode_key, state.decode_value
    drops_deletions = operation.until_window_closes

    def emit(raw_key: bytes, held: Held) -> None:
        if held.new is None and drops_deletions:
            return
        new = None if held.new is None else decode_value(held.new)
        old = None if held.old is None else decode_value(held.old)
        before = (position.topic, position.partition, position.raw, position.timestamp)
        position.topic, position.partition = held.topic, held.partition
        position.raw, position.timestamp = held.raw, held.timestamp
        try:
            forward(decode_key(raw_key), (new, old), held.timestamp, held.headers)
        finally:
            position.topic, position.partition, position.raw, position.timestamp = before

    return emit


def _window_end(key: Any) -> int:
    try:
        return int(key.end)
    except AttributeError:
        msg = (
            "suppress(Suppressed.until_window_closes()) must be given windowed keys; got "
            f"{key!r}; group by the windowed key itself, or use Suppressed.until_time_limit"
        )
        raise StreamsError(msg) from None


def _too_full(operation: TableSuppress, site: Site, records: int, size_bytes: int) -> str:
    def limit(given: int | None) -> str:
        return "any" if given is None else str(given)

    return (
        f"{site.name!r} holds back more than it may: {records} of {limit(operation.max_records)} "
        f"records, {size_bytes} of {limit(operation.max_bytes)} bytes; give its BufferConfig a "
        "higher limit, or let it emit early when it is full"
    )
