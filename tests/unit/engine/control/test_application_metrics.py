"""Rows of all workers become the metrics of an application."""

from __future__ import annotations

from penstock._engine.control.application_metrics import application_metrics, client_values
from penstock._engine.control.protocol.messages import Report
from penstock._engine.metrics.catalogue import CATALOGUE
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.metrics.sensors import TaskSensors
from penstock.metrics import MetricName, to_prometheus


def test_workers_are_told_apart_by_their_thread_id() -> None:
    row = MetricRow("stream-task-metrics", {"dropped-records-total": 3}, {"task-id": "0_0"})
    metrics = application_metrics({"state": "RUNNING"}, "app", {"a": [row], "b": [row]})
    client = ("client-id", "app")
    assert metrics == {
        MetricName("state", "stream-metrics", (client,)): "RUNNING",
        **{
            MetricName(
                "dropped-records-total",
                "stream-task-metrics",
                (client, ("thread-id", worker), ("task-id", "0_0")),
            ): 3
            for worker in ("a", "b")
        },
    }
    assert all(name.description for name in metrics)


def test_the_application_as_a_whole() -> None:
    reports = {
        "a": Report("a", "running", tasks={"0_0": "running", "0_1": "restoring"}),
        "b": Report("b", "lost", tasks={}),
    }
    values = client_values(reports, 4, lag=None, failed=1)
    assert values == {
        "alive-stream-threads": 1,
        "failed-stream-threads": 1,
        "tasks": 4,
        "running-tasks": 1,
        "restoring-tasks": 1,
        "missing-tasks": 2,
    }
    assert client_values(reports, 4, lag=0, failed=1)["records-lag"] == 0
    away = {"c": Report("c", "running", broker_away_seconds=3.5)}
    known = client_values(away, 4, lag=7, failed=0)
    assert known["broker-away-seconds"] == 3.5
    assert known.keys() <= CATALOGUE["stream-metrics"].keys()


def test_the_tasks_of_a_worker_that_sends_no_reports_are_missing() -> None:
    silent = Report("a", "silent", tasks={"0_0": "running"}, pid=1, repeated=True)
    values = client_values({"a": silent}, 1, lag=None, failed=0)
    assert (values["alive-stream-threads"], values["running-tasks"]) == (1, 0)
    assert values["missing-tasks"] == 1
    owner = Report("b", "restoring", tasks={"0_0": "restoring"}, pid=2)
    for reports in ({"a": silent, "b": owner}, {"b": owner, "a": silent}):
        values = client_values(reports, 1, lag=None, failed=0)
        assert (values["running-tasks"], values["restoring-tasks"]) == (0, 1)
        assert values["missing-tasks"] == 0


def test_what_the_program_counts_is_a_counter_and_its_quantities_are_gauges() -> None:
    sensors = TaskSensors(task_id="0_0")
    node = sensors.of_node("check")
    # Both are in the group of nodes.
    node.add_rate_total_sensor("processor-node", "shop", "sale").record(3)
    node.add_sensor("change").record(-5)
    text = to_prometheus(application_metrics({}, "app", {"a": sensors.rows(1.0)}))
    kinds = dict(line.split()[2:] for line in text.splitlines() if line.startswith("# TYPE"))
    ours = "kafka_streams_stream_processor_node_metrics_"
    assert kinds[f"{ours}sale_total"] == "counter"
    assert kinds[f"{ours}sale_rate"] == "gauge"
    assert kinds[f"{ours}change_total"] == "gauge"
