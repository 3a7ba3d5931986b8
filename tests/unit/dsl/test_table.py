"""KTable: what its verbs draw. What they do is in tests/operators."""

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock import Consumed, Materialized, Named, StreamsBuilder, TopologyError, serdes
from penstock._engine.topology.nodes.stream_nodes import SourceNode

TEXT = serdes.string()


def test_a_table_has_a_store_only_if_that_has_a_name() -> None:
    builder = StreamsBuilder()
    bare = builder.table("bare")
    kept = builder.table("kept", materialized=Materialized[Any, Any]("rows"))
    assert (bare.queryable_store_name, kept.queryable_store_name) == (None, "rows")
    assert list(builder.build().stores) == ["rows"]


def test_a_view_has_a_store_only_if_that_has_a_name() -> None:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.filter(lambda k, v: True, Materialized(value=TEXT))
    table.map_values(lambda v: v, Materialized("mapped"))
    assert list(builder.build().stores) == ["mapped"]


def test_the_source_takes_the_options_of_consumed() -> None:
    builder = StreamsBuilder()
    extract = lambda record, partition_time: 0  # noqa: E731
    option = Consumed(TEXT, serdes.long(), extract, "latest", "mine")
    builder.table("in", option)
    source = builder.build().nodes["mine-source"]
    assert isinstance(source, SourceNode)
    assert (source.topics, source.key_serde, source.value_serde) == (("in",), TEXT, serdes.long())
    assert (source.timestamp_extractor, source.offset_reset) == (extract, "latest")


def test_without_consumed_the_source_has_the_serdes_of_the_store() -> None:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows", key=TEXT, value=serdes.long()))
    topology = builder.build()
    source = topology.nodes["KSTREAM-SOURCE-0000000000"]
    assert isinstance(source, SourceNode)
    assert (source.key_serde, source.value_serde) == (TEXT, serdes.long())


def test_a_stream_of_a_table_keeps_its_serdes_and_needs_no_topic() -> None:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=TEXT, value=TEXT))
    table.to_stream(named=Named("streamed")).group_by_key().count()
    assert builder.build().internal_topics == {}


def test_wrong_arguments_are_refused() -> None:
    builder: Any = StreamsBuilder()
    table = builder.table("in")
    with pytest.raises(TopologyError, match="topic's name must be a str"):
        builder.table(["a", "b"])
    with pytest.raises(TopologyError, match="topic's name must be a str"):
        builder.table(re.compile("a.*"))
    with pytest.raises(TopologyError, match="table takes a Consumed; got"):
        builder.table("t", Materialized("rows"))
    with pytest.raises(TopologyError, match=r"did you mean map_values_with_key\?"):
        table.map_values(lambda key, value: value)
    with pytest.raises(TopologyError, match="filter's predicate must be a function"):
        table.filter(None)
    with pytest.raises(TopologyError, match="filter takes a Materialized"):
        table.filter(lambda k, v: True, "kept")


def test_java_s_names_are_explained() -> None:
    table: Any = StreamsBuilder().table("in")
    with pytest.raises(AttributeError, match="to_stream"):
        table.toStream()
