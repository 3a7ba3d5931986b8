"""Sensors of users' processors, in a task of the test driver and alone."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Processor, Produced, Record, StreamsBuilder, serdes
from penstock._clock import monotonic
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.metrics.sensors import TaskSensors
from penstock.errors import StreamsError
from penstock.testing import MockProcessorContext, TopologyTestDriver

TEXT = serdes.string()


def only(sensors: TaskSensors) -> MetricRow:
    (row,) = sensors.rows(monotonic())
    return row


def test_an_operation_has_a_rate_and_a_total_in_the_group_of_its_scope() -> None:
    sensors = TaskSensors(debug=False)
    sensor = sensors.of_node("N").add_rate_total_sensor("shop", "berlin", "sale", tags={"vat": "7"})
    sensor.record()
    sensor.record(5.0)
    row = only(sensors)
    assert (row.group, row.tags) == ("stream-shop-metrics", {"vat": "7", "shop-id": "berlin"})
    assert set(row.values) == {"sale-rate", "sale-total"}
    assert row.values["sale-total"] == 2


def test_a_latency_also_has_mean_and_largest() -> None:
    sensors = TaskSensors(debug=False)
    sensor = sensors.of_node("N").add_latency_rate_total_sensor("shop", "berlin", "sale")
    sensor.record(2.0)
    sensor.record(4.0)
    values = only(sensors).values
    assert (values["sale-latency-avg"], values["sale-latency-max"]) == (3.0, 4.0)
    assert values["sale-total"] == 2


def test_a_quantity_is_added_up_in_the_group_of_its_node() -> None:
    sensors = TaskSensors(debug=False)
    sensor = sensors.of_node("N").add_sensor("price")
    assert set(only(sensors).values) == {"price-rate", "price-total"}
    sensor.record(2.0)
    sensor.record(4.0)
    row = only(sensors)
    assert (row.group, row.tags) == ("stream-processor-node-metrics", {"processor-node-id": "N"})
    assert (row.values["price-total"], row.values["price-min"]) == (6.0, 2.0)


def test_debug_sensors_record_at_that_level_only() -> None:
    for debug in (False, True):
        sensors = TaskSensors(debug=debug)
        sensors.of_node("N").add_sensor("price", level="DEBUG").record(3.0)
        assert len(sensors.rows(monotonic())) == debug


def test_the_same_names_are_the_same_sensor_and_another_kind_is_refused() -> None:
    sensors = TaskSensors(debug=False)
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
        TaskSensors(debug=False).of_node("N").add_rate_total_sensor(*names)


def test_levels_are_info_and_debug() -> None:
    level: Any = "TRACE"
    with pytest.raises(ValueError, match="must be 'INFO' or 'DEBUG'"):
        TaskSensors(debug=False).of_node("N").add_sensor("x", level=level)


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
