"""The figures of an application in Spark's progress: lag, tasks, state, records.

Spark asks a source for its latest offset when a turn begins, and shows the answer in the progress
of that turn (`sources[0].latestOffset`). The figures are those of that moment, `asOf`, and the
records "in the last turn" are those of the turn before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from penstock._engine.control.protocol.messages import Report
from penstock._engine.metrics.rows import STATE, MetricRow

GONE = frozenset({"closed", "failed", "lost"})
"""The states of workers that have ended."""
SILENT = "silent"
"""The state of a worker whose process sends no reports, as the driver shows it: the process was
stopped, or is in a function that does not let go of the interpreter.
"""

_STORE_FIGURES = {"state-bytes": "stateBytes", "put-total": "numRowsUpdated"}


class RecordCounts:
    """Adds up the records of all workers, including those that were replaced."""

    def __init__(self) -> None:
        self._last: dict[tuple[tuple[str, int], int], tuple[int, int]] = {}
        self._total = (0, 0)
        self._at_turn = (0, 0)

    def add(self, report: Report) -> None:
        """Add what a worker has processed since its last report. The next one of its process counts
        from 0: after a last report, or if that did not come.
        """
        source = report.worker, report.process
        before = self._last.pop(source, (0, 0))
        now = (report.records_in, report.records_out)
        if now[0] < before[0] or now[1] < before[1]:
            before = (0, 0)
        if report.state not in GONE:
            self._last[source] = now
        self._total = _plus(self._total, now, before)

    def totals(self) -> dict[str, int]:
        """Return the records in total, under the names of metrics."""
        records_in, records_out = self._total
        return {"records-in-total": records_in, "records-out-total": records_out}

    def end_turn(self) -> dict[str, int]:
        """Return the records in total, and since the last call."""
        records_in, records_out = self._total
        in_turn, out_turn = _plus((0, 0), self._total, self._at_turn)
        self._at_turn = self._total
        return {
            "recordsIn": records_in,
            "recordsOut": records_out,
            "recordsInLastTurn": in_turn,
            "recordsOutLastTurn": out_turn,
        }


def status(
    reports: Mapping[str, Report],
    lag: int | None,
    metrics: Mapping[str, Iterable[MetricRow]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the figures of all workers, from the last report and the last metrics of each; a lag
    that is not known is left out. Of a silent worker nothing else is known: others may have its
    tasks.
    """
    alive = [report for report in reports.values() if report.state not in GONE]
    known = [report for report in alive if report.state != SILENT]
    silent = {report.member_id for report in alive if report.state == SILENT}
    tasks = Counter(state for report in known for state in report.tasks.values())
    entries: Counter[str] = Counter()
    for report in known:
        entries.update(report.state_entries)
    rows = [row for worker, rows in metrics.items() if worker not in silent for row in rows]
    figures: dict[str, Any] = {
        "workers": len(alive),
        "tasks": {"running": tasks["running"], "restoring": tasks["restoring"]},
        "restoreRemaining": sum(report.restore_remaining for report in known),
        "stateEntries": dict(sorted(entries.items())),
        "stateOperators": _state_operators(entries, rows),
    }
    away = broker_away_seconds(known)
    if away is not None:
        figures["brokerAwaySeconds"] = round(away, 1)
    if lag is not None:
        figures["lag"] = lag
    return figures


def _state_operators(entries: Mapping[str, int], rows: Iterable[MetricRow]) -> list[dict[str, Any]]:
    """Return the figures of each store under the names that Spark has for its own state operators.
    How many rows were updated is known at the metrics level DEBUG only, and left out otherwise.
    """
    sums: dict[str, Counter[str]] = {name: Counter() for name in entries}
    for row in rows:
        is_ours = row.group == STATE and not row.of_user
        ids = (value for tag, value in row.tags.items() if is_ours and tag.endswith("-state-id"))
        store = next(ids, None)
        if store is None:
            continue
        found = sums.setdefault(store, Counter())
        found["numStateStoreInstances"] += 1
        for metric, figure in _STORE_FIGURES.items():
            if metric in row.values:
                found[figure] += int(row.values[metric])
    return [
        {"operatorName": name, "numRowsTotal": entries.get(name, 0), **sums[name]}
        for name in sorted(sums)
    ]


def broker_away_seconds(reports: Iterable[Report]) -> float | None:
    """Return for how long the cluster has not answered one of these workers, None if it answers."""
    return max(
        (one.broker_away_seconds for one in reports if one.broker_away_seconds is not None),
        default=None,
    )


def _plus(total: tuple[int, int], now: tuple[int, int], before: tuple[int, int]) -> tuple[int, int]:
    return total[0] + now[0] - before[0], total[1] + now[1] - before[1]
