"""How much state there is.

State of an aggregate grows with its keys, not with its records: a million records of one key in one
window are one row. Only joins of streams keep every record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from penstock.capacity.figures import check_not_negative, check_positive, figure

TIMESTAMP_BYTES = 8
"""Before each value of a table or an aggregate: when it was changed last."""
WINDOW_KEY_BYTES = 20
"""Around each key in a store of windows: the segment, the window's start and a sequence number."""
SESSION_KEY_BYTES = 24
"""Around each key in a store of sessions: the segment, the session's end and start."""
_SHORTEST_SEGMENT_MS = 60_000


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of a table or an aggregate without windows.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["table"].calculate(**FORMULAS["table"].example)
    TableState(rows=1000000, bytes=128000000)
    """

    rows: float = figure("rows", "one for each key that is there; a deletion removes it")
    bytes: float = figure("bytes", "rows x (key + value + 8 for the timestamp)")


@dataclass(frozen=True, slots=True)
class WindowState:
    """The state of a windowed aggregate.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["windows"].calculate(**FORMULAS["windows"].example)
    WindowState(retention_ms=330000, windows=1.1, kept_windows=1.375, rows=137500.0,
     bytes=20350000.0, bytes_at_most=29600000.0)
    """

    retention_ms: float = figure("ms", "at least window size + grace")
    windows: float = figure("windows", "those that start within the retention: retention / advance")
    kept_windows: float = figure(
        "windows",
        "(retention + half a segment) / advance: old ones go by segments of half the retention, "
        "a minute at least",
    )
    rows: float = figure("rows", "keys in a window x windows kept, however many records")
    bytes: float = figure("bytes", "rows x (key + 20 for the window + value + 8 for the timestamp)")
    bytes_at_most: float = figure("bytes", "the same just before a segment goes")


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of an aggregate by sessions.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["sessions"].calculate(**FORMULAS["sessions"].example)
    SessionState(retention_ms=1800000, rows=112500.0, bytes=17100000.0,
     bytes_at_most=20520000.0)
    """

    retention_ms: float = figure("ms", "inactivity gap + grace")
    rows: float = figure("rows", "sessions/s x (retention + half a segment): one for each session")
    bytes: float = figure("bytes", "rows x (key + 24 for the session + value + 8)")
    bytes_at_most: float = figure("bytes", "the same just before a segment goes")


@dataclass(frozen=True, slots=True)
class HoppingFactor:
    """How many windows a record falls into.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["hopping"].calculate(**FORMULAS["hopping"].example)
    HoppingFactor(windows_per_record=5)
    """

    windows_per_record: int = figure("windows", "window size / advance, rounded up")


@dataclass(frozen=True, slots=True)
class JoinState:
    """The state and the work of a join of two streams.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["join"].calculate(**FORMULAS["join"].example)
    JoinState(retention_ms=660000, left_rows=825000.0, right_rows=660000.0, bytes=772200000.0,
     results_per_second=9600.0)
    """

    retention_ms: float = figure("ms", "before + after + grace: how long a record waits for others")
    left_rows: float = figure("rows", "left rate x (retention + half a segment)")
    right_rows: float = figure("rows", "right rate x (retention + half a segment)")
    bytes: float = figure("bytes", "rows of both sides x (record + 20 for time and number)")
    results_per_second: float = figure(
        "records/s", "left rate x right rate x (before + after) / keys: only equal keys meet"
    )


@dataclass(frozen=True, slots=True)
class Standby:
    """What standby replicas cost.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["standby"].calculate(**FORMULAS["standby"].example)
    Standby(disk_bytes=20000000000, network_bytes_per_second=2000000, machines=2)
    """

    disk_bytes: float = figure("bytes", "state x (1 + replicas), over all machines")
    network_bytes_per_second: float = figure("bytes/s", "changelog writes x replicas")
    machines: int = figure("machines", "replicas + 1: a copy beside its original helps nobody")


@dataclass(frozen=True, slots=True)
class GlobalTable:
    """What a global table costs: every worker has it whole.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["global-table"].calculate(**FORMULAS["global-table"].example)
    GlobalTable(bytes_per_worker=20000000, bytes=160000000)
    """

    bytes_per_worker: float = figure("bytes", "rows x (key + value + 8 for the timestamp)")
    bytes: float = figure("bytes", "the same x workers: a Python process each, one for each slot")


def table_state(*, keys: float, key_bytes: float, value_bytes: float) -> TableState:
    """Estimate the state of a table, or of an aggregate without windows.

    >>> from penstock.capacity import table_state
    >>> f"{table_state(keys=1_000_000, key_bytes=20, value_bytes=100).bytes / 1e6:.0f} MB"
    '128 MB'
    """
    check_not_negative(keys=keys, key_bytes=key_bytes, value_bytes=value_bytes)
    return TableState(keys, keys * (key_bytes + value_bytes + TIMESTAMP_BYTES))


def window_state(
    *,
    keys: float,
    key_bytes: float,
    value_bytes: float,
    window_size_ms: float,
    advance_ms: float | None = None,
    grace_ms: float = 0,
    retention_ms: float | None = None,
) -> WindowState:
    """Estimate the state of a windowed aggregate; `keys` are those that occur in one window.

    Not rate x window x size: that would be right only if no key came twice. Hopping windows, given
    by `advance_ms`, have size / advance times the rows of tumbling ones.

    >>> from penstock.capacity import window_state
    >>> state = window_state(keys=100_000, key_bytes=20, value_bytes=100, window_size_ms=300_000,
    ...                      grace_ms=30_000)
    >>> f"{state.windows:.1f} windows, {state.rows:,.0f} rows, {state.bytes / 1e6:.0f} MB"
    '1.1 windows, 137,500 rows, 20 MB'
    """
    advance = window_size_ms if advance_ms is None else advance_ms
    check_positive(window_size_ms=window_size_ms, advance_ms=advance)
    check_not_negative(keys=keys, key_bytes=key_bytes, value_bytes=value_bytes, grace_ms=grace_ms)
    kept_ms = max(retention_ms or 0, window_size_ms + grace_ms)
    segment_ms = _segment_ms(kept_ms)
    # On average, half of what the oldest segment holds is too old and not yet gone.
    kept = (kept_ms + segment_ms / 2) / advance
    most = (kept_ms + segment_ms) // advance + 1
    row_bytes = key_bytes + WINDOW_KEY_BYTES + value_bytes + TIMESTAMP_BYTES
    return WindowState(
        kept_ms,
        kept_ms / advance,
        kept,
        keys * kept,
        keys * kept * row_bytes,
        keys * most * row_bytes,
    )


def session_state(
    *,
    sessions_per_second: float,
    key_bytes: float,
    value_bytes: float,
    inactivity_gap_ms: float,
    grace_ms: float = 0,
) -> SessionState:
    """Estimate the state of an aggregate by sessions, by how many of them begin each second.

    >>> from penstock.capacity import session_state
    >>> state = session_state(sessions_per_second=50, key_bytes=20, value_bytes=100,
    ...                       inactivity_gap_ms=1_800_000)
    >>> f"{state.rows:,.0f} rows"
    '112,500 rows'
    """
    check_positive(inactivity_gap_ms=inactivity_gap_ms)
    check_not_negative(sessions_per_second=sessions_per_second, grace_ms=grace_ms)
    kept_ms = inactivity_gap_ms + grace_ms
    segment_ms = _segment_ms(kept_ms)
    rows = sessions_per_second * (kept_ms + segment_ms / 2) / 1000
    most = sessions_per_second * (kept_ms + segment_ms) / 1000
    row_bytes = key_bytes + SESSION_KEY_BYTES + value_bytes + TIMESTAMP_BYTES
    return SessionState(kept_ms, rows, rows * row_bytes, most * row_bytes)


def hopping_factor(*, window_size_ms: float, advance_ms: float) -> HoppingFactor:
    """Return how many hopping windows each record falls into: that many updates and results.

    >>> from penstock.capacity import hopping_factor
    >>> hopping_factor(window_size_ms=300_000, advance_ms=60_000).windows_per_record
    5
    """
    check_positive(window_size_ms=window_size_ms, advance_ms=advance_ms)
    return HoppingFactor(math.ceil(window_size_ms / advance_ms))


def join_state(
    *,
    left_per_second: float,
    right_per_second: float,
    before_ms: float,
    after_ms: float,
    grace_ms: float = 0,
    record_bytes: float,
    keys: float,
) -> JoinState:
    """Estimate the state of a join of two streams, which keeps every record of both.

    >>> from penstock.capacity import join_state
    >>> state = join_state(left_per_second=1000, right_per_second=800, before_ms=300_000,
    ...                    after_ms=300_000, grace_ms=60_000, record_bytes=500, keys=50_000)
    >>> f"{state.bytes / 1e6:.0f} MB, {state.results_per_second:,.0f} results/s"
    '772 MB, 9,600 results/s'
    """
    check_positive(keys=keys)
    check_not_negative(
        left_per_second=left_per_second,
        right_per_second=right_per_second,
        before_ms=before_ms,
        after_ms=after_ms,
        grace_ms=grace_ms,
        record_bytes=record_bytes,
    )
    kept_ms = before_ms + after_ms + grace_ms
    kept_seconds = (kept_ms + _segment_ms(kept_ms) / 2) / 1000
    left, right = left_per_second * kept_seconds, right_per_second * kept_seconds
    meeting = left_per_second * right_per_second * (before_ms + after_ms) / 1000 / keys
    return JoinState(
        kept_ms, left, right, (left + right) * (record_bytes + WINDOW_KEY_BYTES), meeting
    )


def standby(*, state_bytes: float, replicas: int, changelog_bytes_per_second: float) -> Standby:
    """Estimate what standby replicas cost.

    >>> from penstock.capacity import standby
    >>> cost = standby(state_bytes=10e9, replicas=1, changelog_bytes_per_second=2e6)
    >>> cost.disk_bytes, cost.machines
    (20000000000.0, 2)
    """
    check_not_negative(
        state_bytes=state_bytes,
        replicas=replicas,
        changelog_bytes_per_second=changelog_bytes_per_second,
    )
    return Standby(
        state_bytes * (1 + replicas), changelog_bytes_per_second * replicas, replicas + 1
    )


def global_table(*, rows: float, key_bytes: float, value_bytes: float, workers: int) -> GlobalTable:
    """Estimate what a global table costs.

    >>> from penstock.capacity import global_table
    >>> global_table(rows=100_000, key_bytes=12, value_bytes=180, workers=8).bytes
    160000000
    """
    check_not_negative(rows=rows, key_bytes=key_bytes, value_bytes=value_bytes)
    check_positive(workers=workers)
    whole = rows * (key_bytes + value_bytes + TIMESTAMP_BYTES)
    return GlobalTable(whole, whole * workers)


def _segment_ms(retention_ms: float) -> float:
    return max(retention_ms / 2, _SHORTEST_SEGMENT_MS)
