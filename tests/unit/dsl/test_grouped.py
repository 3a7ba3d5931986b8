"""KGroupedStream: what its verbs draw. What they do is in tests/operators."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, TopologyError, serdes
from penstock._engine.topology.nodes.stream_nodes import SinkNode, SourceNode, parents_of

TEXT = serdes.string()


def test_no_topic_is_drawn_while_the_key_is_the_old_one() -> None:
    builder = StreamsBuilder()
    builder.stream("in").map_values(str).group_by_key(Grouped(name="unused")).count()
    assert builder.build().internal_topics == {}


def test_a_named_grouping_draws_one_topic_for_all_its_aggregations() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by(lambda k, v: v, Grouped(name="shared"))
    grouped.count()
    grouped.reduce(lambda a, v: v)
    topology = builder.build()
    assert list(topology.internal_topics) == ["shared-repartition"]
    below = [
        node.name
        for node in topology.nodes.values()
        if "shared-repartition-source" in parents_of(node)
    ]
    assert below == ["KSTREAM-AGGREGATE-0000000003", "KSTREAM-REDUCE-0000000008"]


def test_the_topic_has_the_serdes_of_the_grouping() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(key=TEXT, value=TEXT))
    stream.group_by(lambda k, v: v.encode(), Grouped(name="g", key=serdes.bytes())).count()
    nodes = builder.build().nodes
    sink, source = nodes["g-repartition-sink"], nodes["g-repartition-source"]
    assert isinstance(sink, SinkNode)
    assert isinstance(source, SourceNode)
    assert (sink.key_serde, sink.value_serde) == (serdes.bytes(), None)
    assert (source.key_serde, source.value_serde) == (serdes.bytes(), None)


def test_a_store_is_timestamped_cached_logged_and_on_disk_unless_said_otherwise() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(Materialized("plain"))
    grouped.count(
        Materialized("other", store="in_memory", caching=False, logging={"retention.ms": "1"})
    )
    grouped.count(Materialized("silent", logging=False))
    plain, other, silent = builder.build().stores.values()
    assert (plain.kind, plain.engine, plain.cached) == ("timestamped_key_value", "rocksdb", True)
    assert (plain.logged, plain.changelog_settings) == (True, {})
    assert (other.engine, other.cached) == ("in_memory", False)
    assert (other.logged, other.changelog_settings) == (True, {"retention.ms": "1"})
    assert not silent.logged


def test_a_table_can_be_queried_by_the_name_of_its_store() -> None:
    grouped = StreamsBuilder().stream("in").group_by_key()
    assert grouped.count(Materialized("counts")).queryable_store_name == "counts"
    assert grouped.count().queryable_store_name is None


def test_wrong_arguments_are_refused() -> None:
    grouped: Any = StreamsBuilder().stream("in").group_by_key()
    with pytest.raises(TopologyError, match="reduce's reducer must be a function"):
        grouped.reduce("sum")
    with pytest.raises(TopologyError, match=r"aggregator must take \(key, value, aggregate\)"):
        grouped.aggregate(int, lambda key, value: value)
    with pytest.raises(TopologyError, match="initializer must be a function"):
        grouped.aggregate(0, lambda key, value, total: total)
    with pytest.raises(TopologyError, match="count takes a Materialized; got 'counts'"):
        grouped.count("counts")


def test_java_s_names_are_explained() -> None:
    stream: Any = StreamsBuilder().stream("in")
    with pytest.raises(AttributeError, match="group_by_key"):
        stream.groupByKey()
