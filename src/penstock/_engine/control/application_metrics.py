"""The metrics of an application, merged in the driver from the last rows of each worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE, SILENT, broker_away_seconds
from penstock._engine.metrics.catalogue import description
from penstock._engine.metrics.rows import CLIENT, MetricRow
from penstock.metrics import MetricName, MetricValue


def application_metrics(
    client: Mapping[str, MetricValue],
    client_id: str,
    rows: Mapping[str, Iterable[MetricRow]],
) -> dict[MetricName, MetricValue]:
    """Return all metrics: those of the `client`, and the rows of each worker by its id."""
    metrics: dict[MetricName, MetricValue] = {}
    of_client = (("client-id", client_id),)
    for name, value in client.items():
        metrics[MetricName(name, CLIENT, of_client, description(CLIENT, name))] = value
    for worker, its_rows in rows.items():
        for row in its_rows:
            tags = (*of_client, ("thread-id", worker), *row.tags.items())
            for name, value in row.values.items():
                metrics[MetricName(name, row.group, tags, _description(row, name))] = value
    return metrics


def _description(row: MetricRow, name: str) -> str:
    """Return what a metric is; nothing if it is of a quantity of the user's. `to_prometheus` knows
    these by that.
    """
    is_counted = row.of_user and not row.of_quantity
    return description(row.group, name) or ("of a sensor of the program" if is_counted else "")


def client_values(
    reports: Mapping[str, Report], task_count: int, lag: int | None, failed: int
) -> dict[str, MetricValue]:
    """Return the metrics of the application as a whole, as far as the workers know them. The tasks
    of a silent worker are missing, unless another one has them.
    """
    alive = [report for report in reports.values() if report.state not in GONE]
    known = [report for report in alive if report.state != SILENT]
    states = {task: state for report in known for task, state in report.tasks.items()}
    counted = Counter(states.values())
    values: dict[str, MetricValue] = {
        "alive-stream-threads": len(alive),
        "failed-stream-threads": failed,
        "tasks": task_count,
        "running-tasks": counted["running"],
        "restoring-tasks": counted["restoring"],
        "missing-tasks": max(0, task_count - len(states)),
    }
    if lag is not None:
        values["records-lag"] = lag
    away = broker_away_seconds(known)
    if away is not None:
        values["broker-away-seconds"] = away
    return values
