"""What joins of tables draw. What they do is in tests/operators."""

from __future__ import annotations

from typing import Any

from penstock import Consumed, KTable, Materialized, StreamsBuilder, serdes
from penstock._engine.topology.nodes.stream_nodes import parents_of

TEXT = serdes.string()


def both(left: Any, right: Any) -> str:
    return f"{left}{right}"


def tables(builder: StreamsBuilder) -> tuple[KTable[str, int], KTable[str, int]]:
    option = Consumed(key=TEXT, value=serdes.long())
    return builder.table("left", option), builder.table("right", option)


def test_each_side_looks_rows_up_in_the_stores_of_the_other() -> None:
    builder = StreamsBuilder()
    left, right = tables(builder)
    left.join(right, both, named="both")
    topology = builder.build()
    assert topology.stores_of("both-join-this") == ["right-STATE-STORE-0000000003"]
    assert topology.stores_of("both-join-other") == ["left-STATE-STORE-0000000000"]
    assert topology.stores_of("both") == []


def test_the_topics_of_both_must_have_the_same_partitions() -> None:
    builder = StreamsBuilder()
    left, right = tables(builder)
    left.join(right, both)
    sources = frozenset({"KSTREAM-SOURCE-0000000001", "KSTREAM-SOURCE-0000000004"})
    assert builder.build().copartition_groups == [sources]


def test_the_result_has_the_key_serde_and_no_value_serde() -> None:
    builder = StreamsBuilder()
    left, right = tables(builder)
    joined = left.join(right, both)
    assert (joined._handle.key_serde, joined._handle.value_serde) == (TEXT, None)
    kept = left.join(right, both, Materialized("kept", value=TEXT))
    assert (kept._handle.key_serde, kept._handle.value_serde) == (TEXT, TEXT)
    store = builder.build().stores["kept"]
    assert (store.key, store.value) == (TEXT, TEXT)


def test_a_materialized_without_a_name_still_makes_a_store() -> None:
    builder = StreamsBuilder()
    left, right = tables(builder)
    joined = left.join(right, both, Materialized(value=TEXT))
    assert joined.queryable_store_name == "KTABLE-MERGE-STATE-STORE-0000000006"
    assert joined.queryable_store_name in builder.build().stores


def test_what_is_joined_with_itself_hangs_on_one_table() -> None:
    builder = StreamsBuilder()
    left, _ = tables(builder)
    joined = left.outer_join(left, both)
    assert len(left._handle.graph.steps[joined._handle.step].parents) == 1
    nodes = builder.build().nodes
    sides = [nodes[name] for name in ("KTABLE-JOINTHIS-0000000007", "KTABLE-JOINOTHER-0000000008")]
    assert [parents_of(side) for side in sides] == [("KTABLE-SOURCE-0000000002",)] * 2
