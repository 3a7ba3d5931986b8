"""What a join with a table or a global table is made of."""

from __future__ import annotations

from typing import Any

from penstock import Joined, KStream, Materialized, StreamsBuilder, Topology


def built(option: Joined[Any, Any, Any] | None = None, **kept: Any) -> Topology:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left").select_key(lambda key, value: value)
    table: Any = builder.table("right", materialized=Materialized("rows", **kept))
    left.left_join(table, lambda one, row: one, option).to("out")
    return builder.build()


def test_the_table_s_store_is_connected_to_the_join() -> None:
    topology = built(Joined("look"))
    assert topology.stores_of("look") == ["rows"]


def test_a_grace_brings_a_buffer_with_a_changelog() -> None:
    topology = built(Joined("look", grace=5), history_retention=10)
    assert set(topology.stores_of("look")) == {"look-Buffer", "rows"}
    buffer = topology.stores["look-Buffer"]
    assert (buffer.kind, buffer.logged, buffer.cached) == ("join_buffer", True, False)


def test_its_name_is_that_of_the_topic_before_it() -> None:
    assert list(built(Joined("look")).internal_topics) == ["look-repartition"]
    assert list(built().internal_topics) == ["KSTREAM-KEY-SELECT-0000000001-repartition"]


def test_a_global_table_needs_no_topic_and_no_connection() -> None:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left").select_key(lambda key, value: value)
    right: Any = builder.global_table("right", materialized=Materialized("rows"))
    joined = left.join(right, lambda key, value: key, lambda one, row: one, named="look")
    topology = builder.build()
    assert topology.internal_topics == {}
    assert topology.stores_of("look") == []
    assert joined._handle.repartition_required
