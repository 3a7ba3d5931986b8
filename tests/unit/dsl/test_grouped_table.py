"""What grouped tables draw. What they do is in tests/operators."""

from __future__ import annotations

from typing import Any

from penstock import Grouped, KGroupedTable, Materialized, StreamsBuilder, serdes
from penstock._engine.topology.nodes.stream_nodes import SinkNode, SourceNode
from penstock.serdes.changes import ChangeSerde

TEXT = serdes.string()


def grouped(builder: StreamsBuilder, option: Any = None) -> KGroupedTable[Any, Any]:
    return builder.table("in").group_by(lambda key, value: (value, key), option)


def test_each_aggregation_has_a_topic_of_its_own() -> None:
    builder = StreamsBuilder()
    groups = grouped(builder)
    groups.count(Materialized("counts"))
    groups.reduce(max, min, Materialized("most"))
    assert list(builder.build().internal_topics) == ["counts-repartition", "most-repartition"]


def test_aggregations_of_a_named_grouping_share_one() -> None:
    builder = StreamsBuilder()
    groups = grouped(builder, Grouped("groups"))
    groups.count(Materialized("counts"))
    groups.reduce(max, min, Materialized("most"))
    assert list(builder.build().internal_topics) == ["groups-repartition"]


def test_the_topic_is_written_with_the_serdes_of_the_grouping() -> None:
    builder = StreamsBuilder()
    groups = grouped(builder, Grouped("groups", key=TEXT, value=TEXT))
    groups.count(named="counting")
    nodes = builder.build().nodes
    sink, source = nodes["counting-sink"], nodes["counting-source"]
    assert isinstance(sink, SinkNode)
    assert isinstance(source, SourceNode)
    for node in (sink, source):
        assert node.key_serde == TEXT
        assert isinstance(node.value_serde, ChangeSerde)
        assert node.value_serde.inner == TEXT


def test_a_count_is_kept_as_a_long_and_a_reduction_as_the_values_are() -> None:
    builder = StreamsBuilder()
    groups = grouped(builder, Grouped("groups", key=TEXT, value=TEXT))
    groups.count(Materialized("counts"))
    groups.reduce(max, min, Materialized("most"))
    groups.aggregate(str, lambda k, v, a: a, lambda k, v, a: a, Materialized("all"))
    stores = builder.build().stores
    kept = {name: (store.key, store.value) for name, store in stores.items() if name[:2] != "in"}
    assert kept == {
        "counts": (TEXT, serdes.long()),
        "most": (TEXT, TEXT),
        "all": (TEXT, None),
    }


def test_the_table_above_is_given_a_store() -> None:
    builder = StreamsBuilder()
    grouped(builder)
    assert list(builder.build().stores) == ["in-STATE-STORE-0000000000"]
