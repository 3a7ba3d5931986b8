"""TopologyTestDriver. Semantics 10; what it refuses is in tests/refusals."""

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock import (
    Consumed,
    Materialized,
    Processor,
    ProcessorContext,
    Record,
    Repartitioned,
    Stores,
    StreamsBuilder,
    StreamsError,
    Topology,
    ValueAndTimestamp,
    Windowed,
    serdes,
)
from penstock.testing import TopologyTestDriver

TEXT = serdes.string()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def driver_of(builder: StreamsBuilder, **config: Any) -> TopologyTestDriver:
    return TopologyTestDriver(builder.build(), {**CONFIG, **config}, initial_wall_clock_ms=0)


def echo() -> StreamsBuilder:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder


def test_every_driver_has_an_application_of_its_own_unless_told() -> None:
    seen: list[str] = []

    class Look(Processor[Any, Any, Any, Any]):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            seen.append(context.application_id)

    builder = StreamsBuilder()
    builder.stream("in").process(Look)
    driver_of(builder)
    driver_of(builder)
    driver_of(builder, **{"application.id": "mine"})
    assert len(set(seen)) == 3
    assert seen[2] == "mine"


def test_internal_topics_can_be_read_and_are_named() -> None:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="r")).to("out")
    with driver_of(builder, **{"application.id": "app"}) as driver:
        driver.create_input_topic("in", TEXT, TEXT).pipe_input("k", "v")
        assert driver.produced_topic_names() == {"app-r-repartition", "out"}
        internal = driver.create_output_topic("app-r-repartition", TEXT, TEXT)
        assert internal.read_key_value() == ("k", "v")


def test_topics_of_a_pattern_are_found_when_they_are_piped() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*")).to("out")
    with driver_of(builder) as driver:
        for topic in ("in-a", "in-b"):
            driver.create_input_topic(topic, TEXT, TEXT).pipe_input("k", topic)
        assert driver.create_output_topic("out", TEXT, TEXT).read_values() == ["in-a", "in-b"]


def test_a_topic_of_two_sub_topologies_runs_both_in_one_step() -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("between")
    builder.stream("between").to("out")
    with driver_of(builder) as driver:
        driver.create_input_topic("in", TEXT, TEXT).pipe_input("k", "v")
        assert driver.create_output_topic("out", TEXT, TEXT).read_value() == "v"


def test_output_topics_share_what_was_written() -> None:
    with driver_of(echo()) as driver:
        one = driver.create_output_topic("out", TEXT, TEXT)
        two = driver.create_output_topic("out", TEXT, serdes.bytes())
        driver.create_input_topic("in", TEXT, TEXT).pipe_value_list(["a", "b"])
        assert (one.read_value(), two.read_value()) == ("a", b"b")
        assert one.is_empty()


def test_stores_are_live() -> None:
    store = Stores.in_memory_key_value_store("s", key=TEXT, value=TEXT)

    class Put(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None:
            store = self.context.get_state_store("s")
            store.put_if_absent(record.key, record.value)

    topology = Topology().add_source("source", "in").add_processor("put", Put, "source")
    topology.add_state_store(store, "put")
    with TopologyTestDriver(topology, CONFIG) as driver:
        assert list(driver.get_all_state_stores()) == ["s"]
        driver.get_state_store("s").put("k", "mine")
        driver.create_input_topic("in", TEXT, TEXT).pipe_key_value_list([("k", "v"), ("l", "w")])
        assert list(driver.get_state_store("s").all()) == [("k", "mine"), ("l", "w")]
        assert driver.get_state_store("other") is None


def test_metrics_are_named_as_in_kafka_streams() -> None:
    with driver_of(echo()) as driver:
        driver.create_input_topic("in", TEXT, TEXT).pipe_value_list(["a", "b"])
        assert driver.metrics()["process-total"] == 2
        assert driver.metrics()["dropped-records-total"] == 0


def test_errors_reach_the_caller_that_pipes() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(value=serdes.long())).to("out")
    with (
        driver_of(builder) as driver,
        pytest.raises(StreamsError, match="cannot read the record"),
    ):
        driver.create_input_topic("in", TEXT, TEXT).pipe_input("k", "no long")


def test_leaving_the_block_closes_the_processors() -> None:
    closed: list[bool] = []

    class Close(Processor[Any, Any, Any, Any]):
        def close(self) -> None:
            closed.append(True)

    builder = StreamsBuilder()
    builder.stream("in").process(Close)
    with driver_of(builder):
        assert closed == []
    assert closed == [True]


def test_without_a_wall_clock_it_starts_at_the_real_one_and_stands_still() -> None:
    times: list[int] = []

    class Look(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None:
            times.append(self.context.current_system_time_ms)

    builder = StreamsBuilder()
    builder.stream("in").process(Look)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        words = driver.create_input_topic("in", TEXT, TEXT)
        words.pipe_value_list(["a", "b"])
        driver.advance_wall_clock_time(5)
        words.pipe_input("c")
    assert times[0] > 1_577_836_800_000
    assert times == [times[0], times[0], times[0] + 5]


class Hold(Processor[Any, Any, Any, Any]):
    """Has stores, and lets others write to them."""

    def process(self, record: Record[Any, Any]) -> None: ...


def test_each_kind_of_store_has_its_getter() -> None:
    builder = StreamsBuilder()
    given: dict[str, Any] = {"key": TEXT, "value": TEXT}
    windows = {"retention": 100, "window_size": 10, **given}
    for store in (
        Stores.in_memory_key_value_store("keys", **given),
        Stores.persistent_window_store("windows", **windows),
        Stores.timestamped_window_store("timed", **windows),
        Stores.persistent_session_store("sessions", retention=100, **given),
        Stores.versioned_key_value_store("versions", history_retention=100, **given),
    ):
        builder.add_state_store(store)
    names = ["keys", "windows", "timed", "sessions", "versions"]
    builder.stream("in").process(Hold, state_stores=names)
    with driver_of(builder) as driver:
        getters = {
            driver.get_key_value_store: {"keys"},
            driver.get_timestamped_key_value_store: set(),
            driver.get_window_store: {"windows", "timed"},
            driver.get_timestamped_window_store: {"timed"},
            driver.get_session_store: {"sessions"},
            driver.get_versioned_key_value_store: {"versions"},
        }
        for getter, found in getters.items():
            assert {name for name in names if getter(name) is not None} == found
            assert getter("other") is None
        timed = driver.get_window_store("timed")
        assert timed is not None
        timed.put("k", "v", 20)
        assert list(timed.all()) == [(Windowed("k", 20, 30), "v")]
        assert driver.get_timestamped_window_store("timed").fetch("k", 20) == ("v", -1)  # type: ignore[union-attr]
        assert set(driver.get_all_state_stores()) == set(names)


def test_the_store_of_a_table_is_seen_with_and_without_times() -> None:
    builder = StreamsBuilder()
    builder.stream("in").group_by_key().count(Materialized("counts"))
    builder.add_state_store(Stores.in_memory_key_value_store("s", key=TEXT, value=TEXT))

    class Keep(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.get_state_store("s").put(record.key, record.value)

    builder.stream("in").process(Keep, state_stores=["s"])
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.create_input_topic("in", TEXT, TEXT).pipe_input("k", "v", timestamp=5)
        values = driver.get_key_value_store("counts")
        rows = driver.get_timestamped_key_value_store("counts")
        assert values is not None
        assert rows is not None
        assert (values.get("k"), rows.get("k")) == (1, ValueAndTimestamp(1, 5))
        values.put("l", 7)
        assert list(values.all()) == [("k", 1), ("l", 7)]
        assert rows.get("l") == ValueAndTimestamp(7, -1)
        plain = driver.get_key_value_store("s")
        assert plain is not None
        assert plain.get("k") == "v"
        assert driver.get_timestamped_key_value_store("s") is None
        assert driver.get_key_value_store("other") is None
