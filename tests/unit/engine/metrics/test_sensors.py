"""Sensors of users' processors, in a task of the test driver and alone."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Processor, Produced, Record, StreamsBuilder, serdes
from penstock._clock import monotonic
from penstock._engine.control.application_metrics import application_metrics
from penstock._engine.control.status import status
from penstock._engine.http.console.metric_index import MetricIndex, index
from penstock._engine.http.console.rates import Rates
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.metrics.sensors import TaskSensors
from penstock.errors import StreamsError
from penstock.metrics import RecordingLevel
from penstock.testing import MockProcessorContext, TopologyTestDriver

TEXT = serdes.string()


def only(sensors: TaskSensors) -> MetricRow:
    (row,) = sensors.rows(monotonic())
    return row


def test_an_operation_has_a_rate_and_a_total_in_the_group_of_its_scope() -> None:
    sensors = TaskSensors()
    sensor = sensors.of_node("N").add_rate_total_sensor("shop", "berlin", "sale", tags={"vat": "7"})
    sensor.record()
    sensor.record(5.0)
    row = only(sensors)
    assert (row.group, row.tags) == ("stream-shop-metrics", {"vat": "7", "shop-id": "berlin"})
    assert set(row.values) == {"sale-rate", "sale-total"}
    assert row.values["sale-total"] == 2


def test_a_latency_also_has_mean_and_largest() -> None:
    sensors = TaskSensors()
    sensor = sensors.of_node("N").add_latency_rate_total_sensor("shop", "berlin", "sale")
    sensor.record(2.0)
    sensor.record(4.0)
    values = only(sensors).values
    assert (values["sale-latency-avg"], values["sale-latency-max"]) == (3.0, 4.0)
    assert values["sale-total"] == 2


def test_a_quantity_is_added_up_in_the_group_of_its_node() -> None:
    sensors = TaskSensors()
    sensor = sensors.of_node("N").add_sensor("price")
    assert set(only(sensors).values) == {"price-rate", "price-total"}
    sensor.record(2.0)
    sensor.record(4.0)
    row = only(sensors)
    assert (row.group, row.tags) == ("stream-processor-node-metrics", {"processor-node-id": "N"})
    assert (row.values["price-total"], row.values["price-min"]) == (6.0, 2.0)


@pytest.mark.parametrize(("recorded", "count"), [("INFO", 1), ("DEBUG", 2), ("TRACE", 3)])
def test_a_sensor_records_from_its_level_on(recorded: RecordingLevel, count: int) -> None:
    sensors = TaskSensors(recorded)
    levels: list[RecordingLevel] = ["INFO", "DEBUG", "TRACE"]
    for level in levels:
        sensors.of_node("N").add_sensor(f"price-{level}", level=level).record(3.0)
    names = {name for row in sensors.rows(monotonic()) for name in row.values}
    assert {name for name in names if name.endswith("-total")} == {
        f"price-{level}-total" for level in levels[:count]
    }


def test_the_same_names_are_the_same_sensor_and_another_kind_is_refused() -> None:
    sensors = TaskSensors()
    node = sensors.of_node("N")
    first = node.add_rate_total_sensor("shop", "berlin", "sale")
    assert node.add_rate_total_sensor("shop", "berlin", "sale") is first
    with pytest.raises(StreamsError, match="'sale' is there already"):
        node.add_latency_rate_total_sensor("shop", "berlin", "sale")
    node.remove_sensor(first)
    assert sensors.rows(monotonic()) == []


@pytest.mark.parametrize("names", [("", "e", "o"), ("s", None, "o"), ("s", "e", 3)])
def test_names_must_be_texts(names: tuple[Any, Any, Any]) -> None:
    with pytest.raises(TypeError, match="of a sensor must be a text"):
        TaskSensors().of_node("N").add_rate_total_sensor(*names)


def test_other_levels_are_refused() -> None:
    level: Any = "WARN"
    with pytest.raises(ValueError, match="must be 'INFO', 'DEBUG' or 'TRACE'"):
        TaskSensors().of_node("N").add_sensor("x", level=level)


class Counting(Processor[str, str, str, str]):
    """Counts long words."""

    def init(self, context: Any) -> None:
        super().init(context)
        self.long = context.metrics.add_rate_total_sensor("word", "long", "seen")

    def process(self, record: Record[str, str]) -> None:
        if len(record.value) > 3:
            self.long.record()
        self.context.forward(record)


def test_a_processor_in_a_topology_and_with_a_mock_context_has_metrics() -> None:
    builder = StreamsBuilder()
    words = builder.stream("in", Consumed(TEXT, TEXT)).process(Counting)
    words.to("out", Produced(TEXT, TEXT))
    with TopologyTestDriver(builder.build()) as driver:
        topic = driver.create_input_topic("in", TEXT, TEXT)
        for word in ("a", "long", "longer"):
            topic.pipe_input("k", word)
        assert driver.metrics()["seen-total"] == 2

    context: Any = MockProcessorContext()
    processor = Counting()
    processor.init(context)
    processor.process(Record("k", "longest", 0))


class OfALibrary(float):
    """As `numpy.float64`: a number whose arithmetic keeps its class."""

    def __add__(self, other: float) -> OfALibrary:
        return OfALibrary(float(self) + float(other))

    __radd__ = __add__


def test_numbers_of_other_libraries_are_reported_as_numbers() -> None:
    sensors = TaskSensors()
    sensor = sensors.of_node("n").add_sensor("size")
    sensor.record(OfALibrary(3.0))
    (row,) = sensors.rows(monotonic())
    assert {type(value) for value in row.values.values()} <= {int, float}


@pytest.mark.parametrize(
    ("scope", "entity"), [("task", "0_1"), ("processor-node", "N"), ("processor-node", "M")]
)
def test_a_sensor_does_not_pass_for_a_metric_that_is_there(scope: str, entity: str) -> None:
    node = TaskSensors(task_id="0_1", nodes=["M", "N"]).of_node("N")
    with pytest.raises(StreamsError, match=r"process-.* which is a metric already"):
        node.add_rate_total_sensor(scope, entity, "process")
    with pytest.raises(StreamsError, match=r"'records-total' .* which is a metric already"):
        node.add_sensor("records")
    node.add_rate_total_sensor(scope, entity, "process", tags={"shop": "oslo"})


@pytest.mark.parametrize(
    ("scope", "operation"),
    [
        ("state", "put"),
        ("state", "get"),
        ("task", "process"),
        ("thread", "commit"),
        ("thread", "poll"),
        ("processor-node", "process"),
    ],
)
def test_names_of_ours_are_taken_for_things_that_are_not_ours(scope: str, operation: str) -> None:
    sensors = TaskSensors(task_id="0_1", nodes=["N"])
    sensor = sensors.of_node("N").add_latency_rate_total_sensor(scope, "oslo", operation)
    sensor.record()
    assert only(sensors).values[f"{operation}-total"] == 1


def test_a_task_tells_its_sensors_its_own_names() -> None:
    class Posing(Counting):
        def init(self, context: Any) -> None:
            context.metrics.add_rate_total_sensor("task", context.task_id, "process")

    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).process(Posing)
    with pytest.raises(StreamsError, match="which is a metric already"):
        TopologyTestDriver(builder.build())


@pytest.mark.parametrize("scope", ["state", "topic", "thread", "task", "processor-node"])
def test_a_sensor_in_a_group_of_ours_is_shown_and_is_none_of_our_figures(scope: str) -> None:
    sensors = TaskSensors()
    sensors.of_node("N").add_rate_total_sensor(scope, "oslo", "sale").record()
    row = only(sensors)
    assert row.group == f"stream-{scope}-metrics"
    rows = {"w": [MetricRow(row.group, row.values, {"task-id": "0_0", **row.tags}, row.of_user)]}
    assert status({}, 0, rows)["stateOperators"] == []
    assert index(rows, Rates(), 1.0) == MetricIndex()
    (shown,) = [name for name in application_metrics({}, "app", rows) if name.name == "sale-total"]
    assert dict(shown.tags)[f"{scope}-id"] == "oslo"
