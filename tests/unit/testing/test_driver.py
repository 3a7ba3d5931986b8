"""TopologyTestDriver. Semantics 10; what it refuses is in tests/refusals."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Consumed,
    Headers,
    JoinWindows,
    Materialized,
    Processor,
    ProcessorContext,
    Record,
    Repartitioned,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsError,
    TimeWindows,
    Topology,
    TopologyError,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    Windowed,
    serdes,
)
from penstock.errors import ConfigError
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
        with pytest.raises(ValueError, match=r"no state store 'other'; its stores: 's'$"):
            driver.get_state_store("other")


def test_a_store_that_no_processor_uses_is_listed_but_not_opened() -> None:
    builder = echo()
    builder.add_state_store(Stores.in_memory_key_value_store("idle", key=TEXT, value=TEXT))
    with driver_of(builder) as driver:
        assert driver.get_all_state_stores() == {"idle": None}
        with pytest.raises(ValueError, match=r"state store 'idle' is used by no processor"):
            driver.get_key_value_store("idle")


def test_suppliers_are_called_in_the_order_of_the_nodes() -> None:
    made: list[str] = []

    def supplier(name: str) -> Any:
        def make() -> Hold:
            made.append(name)
            return Hold()

        return make

    topology = Topology().add_source("source", "in")
    topology.add_processor("a", supplier("a"), "source").add_processor("b", supplier("b"), "a")
    made.clear()
    TopologyTestDriver(topology, CONFIG).close()
    assert made == ["a", "b"]


@pytest.mark.parametrize("topic", [None, "", 5, "a b"])
def test_topics_that_cannot_exist_are_refused_when_they_are_opened(topic: Any) -> None:
    with driver_of(echo()) as driver:
        for create in (driver.create_input_topic, driver.create_output_topic):
            with pytest.raises(TopologyError, match=r"^a topic's name must "):
                create(topic, TEXT, TEXT)


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
            for name in [*names, "other"]:
                with (
                    contextlib.nullcontext()
                    if name in found
                    else pytest.raises(ValueError, match=name)
                ):
                    assert getter(name) is not None
        timed = driver.get_window_store("timed")
        timed.put("k", "v", 20)
        assert list(timed.all()) == [(Windowed("k", 20, 30), "v")]
        assert driver.get_timestamped_window_store("timed").fetch("k", 20) == ("v", -1)
        assert set(driver.get_all_state_stores()) == set(names)


def test_rows_of_a_join_s_store_have_no_time() -> None:
    builder = StreamsBuilder()
    joined = StreamJoined[str, str, str](store_name="join")
    windows = JoinWindows.of_time_difference(5)
    left, right = builder.stream("in"), builder.stream("other")
    left.join(right, lambda a, b: a + b, windows, joined)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.create_input_topic("in", TEXT, TEXT).pipe_input("k", "v", timestamp=7)
        name = "join-this-join-store"
        assert list(driver.get_window_store(name).fetch("k", 0, 10)) == [(7, "v")]
        rows = list(driver.get_timestamped_window_store(name).fetch("k", 0, 10))
        assert rows == [(7, ValueAndTimestamp("v", -1))]


def test_a_store_of_verbs_that_holds_headers_is_seen_with_and_without_them() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(Materialized("counts"))
    grouped.windowed_by(TimeWindows.of_size(10)).count(Materialized("windows"))
    config = {**CONFIG, "dsl.store.format": "HEADERS"}
    with TopologyTestDriver(builder.build(), config) as driver:
        topic = driver.create_input_topic("in", TEXT, TEXT)
        topic.pipe_input("k", "v", timestamp=5, headers=[("trace", b"1")])
        timed, whole = ValueAndTimestamp(1, 5), ValueTimestampHeaders(1, 5, Headers())
        assert driver.get_key_value_store("counts").get("k") == 1
        assert driver.get_timestamped_key_value_store("counts").get("k") == timed
        assert driver.get_timestamped_key_value_store_with_headers("counts").get("k") == whole
        assert driver.get_window_store("windows").fetch("k", 0) == 1
        assert driver.get_timestamped_window_store("windows").fetch("k", 0) == timed
        assert driver.get_timestamped_window_store_with_headers("windows").fetch("k", 0) == whole
        # What a test puts is a row like any other.
        driver.get_timestamped_key_value_store("counts").put("k", ValueAndTimestamp(7, 1))
        topic.pipe_input("k", "v", timestamp=6)
        assert driver.get_key_value_store("counts").get("k") == 8


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
        assert (values.get("k"), rows.get("k")) == (1, ValueAndTimestamp(1, 5))
        values.put("l", 7)
        assert list(values.all()) == [("k", 1), ("l", 7)]
        assert rows.get("l") == ValueAndTimestamp(7, -1)
        plain = driver.get_key_value_store("s")
        assert plain.get("k") == "v"
        with pytest.raises(
            ValueError, match=r"'s' must be of kind 'timestamped key value' or .*; it is"
        ):
            driver.get_timestamped_key_value_store("s")


class _Ask(Processor[Any, Any, Any, Any]):
    """Forwards what its context says."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        (context.state_dir / "note").write_text("kept", encoding="utf-8")

    def process(self, record: Record[Any, Any]) -> None:
        context = self.context
        serdes_ = context.key_serde, context.value_serde
        self.context.forward(record.with_value(f"{serdes_} {context.state_dir}"))


def test_a_context_knows_the_default_serdes_and_a_directory_of_its_task() -> None:
    builder = StreamsBuilder()
    builder.stream("in").process(_Ask).to("out")
    with driver_of(builder, **{"application.id": "app"}) as driver:
        driver.create_input_topic("in", TEXT, TEXT).pipe_input("k", "v")
        answer = driver.create_output_topic("out", TEXT, TEXT).read_value()
        assert answer is not None
        said, _, path = answer.rpartition(" ")
        assert said == "(serdes.string(), serdes.string())"
        directory = Path(path)
        assert (directory / "note").read_text(encoding="utf-8") == "kept"
        # Not that of an application of the same name.
        assert directory.parent.name != "app"
    assert not directory.parent.exists()


def test_without_a_default_serde_a_context_says_what_to_set() -> None:
    class Ask(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None:
            _ = self.context.value_serde

    topology = Topology().add_source("source", "in", key=TEXT, value=TEXT)
    topology.add_processor("ask", Ask, "source")
    with TopologyTestDriver(topology) as driver:
        topic = driver.create_input_topic("in", TEXT, TEXT)
        with pytest.raises(StreamsError, match=r"set 'default.value.serde'"):
            topic.pipe_input("k", "v")


def test_how_late_records_are_is_measured_at_debug() -> None:
    settings = {"metrics.recording.level": "DEBUG"}
    with driver_of(echo(), **settings) as driver:
        topic = driver.create_input_topic("in", TEXT, TEXT)
        for timestamp in (10, 4, 12):
            topic.pipe_input("k", "v", timestamp=timestamp)
        measured = driver.metrics()
        assert measured["record-lateness-max"] == 6
        assert measured["record-lateness-avg"] == 2
    with driver_of(echo()) as driver:
        assert "record-lateness-max" not in driver.metrics()


def test_a_store_of_stores_has_the_default_serdes_of_the_settings() -> None:
    builder = StreamsBuilder()
    builder.add_state_store(Stores.persistent_key_value_store("s"))
    builder.stream("in").process(Hold, state_stores=["s"])
    with driver_of(builder) as driver:
        store = driver.get_key_value_store("s")
        store.put("a", "1")
        assert store.get("a") == "1"
        with pytest.raises(StreamsError, match="state store 's'"):
            store.put(5, "1")


def test_a_prefix_is_bytes_or_a_key_or_what_a_serde_writes() -> None:
    builder = StreamsBuilder()
    builder.add_state_store(Stores.in_memory_key_value_store("s"))
    builder.stream("in").process(Hold, state_stores=["s"])
    with driver_of(builder) as driver:
        store = driver.get_key_value_store("s")
        for key in ("a", "ab", "b"):
            store.put(key, key)
        expected = [("a", "a"), ("ab", "ab")]
        assert list(store.prefix_scan(b"a")) == list(store.prefix_scan("a")) == expected
        assert list(store.prefix_scan(0x61, serdes.of(lambda n: bytes([n]), ord))) == expected
        for wrong in (None, 5):
            with pytest.raises((ValueError, StreamsError)):
                store.prefix_scan(wrong)


def test_settings_may_be_in_snake_case() -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    serdes = {"default_key_serde": "string", "default_value_serde": "string"}
    config = {"application_id": "shop", "statestore_cache_max_bytes": 0, **serdes}
    with TopologyTestDriver(builder.build(), config) as driver:
        assert driver.produced_topic_names() == set()
    with pytest.raises(ConfigError, match="must be given once"):
        TopologyTestDriver(builder.build(), {"application_id": "a", "application.id": "b"})
