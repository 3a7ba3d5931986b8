"""From the steps of a program to its topology."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Any

import pytest

from penstock import (
    ConfigError,
    Consumed,
    Grouped,
    Materialized,
    Produced,
    Repartitioned,
    StreamsBuilder,
    StreamsConfig,
    TopologyError,
    serdes,
)
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, SinkNode, SourceNode
from penstock.timestamps import FailOnInvalidTimestamp


def node(builder: StreamsBuilder, name: str) -> Any:
    return builder.build().nodes[name]


def test_nodes_are_written_in_the_order_they_were_said() -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.stream("right")
    right.filter(lambda k, v: True, named="f")
    left.merge(right, named="m").to("out")
    assert list(builder.build().nodes) == [
        "KSTREAM-SOURCE-0000000000",
        "KSTREAM-SOURCE-0000000001",
        "f",
        "m",
        "KSTREAM-SINK-0000000004",
    ]


def test_streams_of_the_same_topics_share_one_source() -> None:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).to("one")
    builder.stream(["b", "a"]).to("two")
    topology = builder.build()
    sinks = [node for node in topology.nodes.values() if isinstance(node, SinkNode)]
    assert [sink.parents for sink in sinks] == [("KSTREAM-SOURCE-0000000000",)] * 2


def test_equal_patterns_share_one_source_and_different_flags_do_not() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("a.*"))
    builder.stream(re.compile("a.*"))
    builder.stream(re.compile("a.*", re.IGNORECASE))
    assert len(builder.build().nodes) == 2


def test_the_shared_source_becomes_the_last_parent() -> None:
    builder = StreamsBuilder()
    first, again, other = builder.stream("a"), builder.stream("a"), builder.stream("b")
    again.merge(other, named="merged")
    assert node(builder, "merged").parents == (
        "KSTREAM-SOURCE-0000000002",
        "KSTREAM-SOURCE-0000000000",
    )
    assert first is not again


def test_the_same_program_may_be_built_twice() -> None:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="r")).to("out")
    assert str(builder.build().describe()) == str(builder.build().describe())


def test_a_program_may_go_on_after_it_was_built() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    before = builder.build()
    stream.to("out")
    assert len(before.nodes) == 1
    assert len(builder.build().nodes) == 2


def test_a_repartition_is_a_filter_a_sink_and_a_source_with_its_own_serdes() -> None:
    builder = StreamsBuilder()
    text = serdes.string()
    option = Repartitioned(name="r", key=text, value=text, partitions=3)
    builder.stream("in").repartition(option)
    topology = builder.build()
    sink, source = topology.nodes["r-repartition-sink"], topology.nodes["r-repartition-source"]
    assert isinstance(topology.nodes["r-repartition-filter"], ProcessorNode)
    assert isinstance(sink, SinkNode)
    assert isinstance(source, SourceNode)
    assert (sink.topic, source.topics) == ("r-repartition", ("r-repartition",))
    assert (sink.key_serde, source.value_serde) == (text, text)
    assert isinstance(source.timestamp_extractor, FailOnInvalidTimestamp)
    assert topology.internal_topics["r-repartition"].partitions == 3


def test_a_source_keeps_its_options() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=serdes.long(), offset_reset="latest", name="source"))
    source = node(builder, "source")
    assert (source.key_serde, source.value_serde) == (serdes.long(), None)
    assert source.offset_reset == "latest"


def test_every_node_knows_the_line_it_was_written_in() -> None:
    builder = StreamsBuilder()
    builder.stream("in").repartition().split(named="s-").branch(lambda k, v: True)
    assert all(
        str(node.location).startswith(f"{__file__}:") for node in builder.build().nodes.values()
    )


@pytest.mark.parametrize("wrong", ["newest", timedelta(seconds=-1), 5])
def test_other_offset_resets_are_refused(wrong: Any) -> None:
    with pytest.raises(TopologyError, match=r"offset_reset must be one of .*not negative; got"):
        Consumed(offset_reset=wrong)


def test_offset_resets_must_agree_even_if_one_says_nothing() -> None:
    builder = StreamsBuilder()
    builder.stream("in")
    builder.stream("in", Consumed(offset_reset="latest"))
    with pytest.raises(
        TopologyError, match="must have the same offset_reset; got 'latest' after None"
    ):
        builder.build()


def test_a_step_that_is_drawn_again_is_written_behind_what_was_said_in_between() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by(lambda k, v: v, Grouped(name="shared"))
    grouped.count(named="count")
    builder.stream("other").to("copy", Produced(name="between"))
    grouped.reduce(lambda a, v: v, named="reduce")
    names = list(builder.build().nodes)
    assert names.index("between") < names.index("shared-repartition-filter")
    assert names[-2:] == ["count", "reduce"]


def unnamed(builder: StreamsBuilder) -> None:
    """Draw a store, its changelog and two topics without names of their own."""
    builder.stream("in").group_by(lambda k, v: v).count()
    builder.stream("in").repartition()


def test_what_has_no_name_is_said_once_for_each_build(caplog: pytest.LogCaptureFixture) -> None:
    builder = StreamsBuilder()
    unnamed(builder)
    with caplog.at_level(logging.WARNING):
        builder.build()
    assert [message.split(" ")[0] for message in caplog.messages] == [
        "store=KSTREAM-AGGREGATE-STATE-STORE-0000000002",
        "topic=KSTREAM-AGGREGATE-STATE-STORE-0000000002-repartition",
        "topic=KSTREAM-REPARTITION-0000000008-repartition",
    ]


def test_a_program_that_names_everything_is_not_talked_about(
    caplog: pytest.LogCaptureFixture,
) -> None:
    builder = StreamsBuilder()
    builder.stream("in").group_by(lambda k, v: v).count(Materialized("counts"))
    builder.stream("in").group_by_key().count(Materialized("silent", logging=False))
    builder.table("t", materialized=Materialized("rows")).filter(lambda k, v: True)
    with caplog.at_level(logging.WARNING):
        builder.build({"ensure.explicit.internal.resource.naming": True})
    assert caplog.messages == []


def test_what_has_no_name_is_refused_if_names_are_required() -> None:
    builder = StreamsBuilder()
    unnamed(builder)
    with pytest.raises(TopologyError, match=r"repartition topics .*; write Materialized"):
        builder.build({"ensure.explicit.internal.resource.naming": "true"})


def test_a_build_takes_the_settings_of_the_application() -> None:
    builder = StreamsBuilder()
    unnamed(builder)
    settings = {"application.id": "app", "ensure.explicit.internal.resource.naming": True}
    with pytest.raises(TopologyError):
        builder.build(StreamsConfig(settings))
    with pytest.raises(ConfigError, match=r"ensure\.explicit\.internal\.resource\.naming"):
        builder.build({"ensure.explicit.internal.resource.name": True})
