"""From a topology to its description. Java's text in full is compared by the conformance cases."""

from __future__ import annotations

import re
from typing import Any

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes
from penstock._engine.topology.description.description import (
    ProcessorDescription,
    SinkDescription,
    SourceDescription,
)


class Echo(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)


def test_a_chain_as_data() -> None:
    store = Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.long())
    topology = Topology().add_source("source", "in").add_processor("echo", Echo, "source")
    topology.add_state_store(store, "echo").add_sink("sink", "out", "echo")
    (subtopology,) = topology.describe().subtopologies
    assert subtopology.nodes == (
        SourceDescription("source", ("in",), None, ("echo",)),
        ProcessorDescription("echo", ("store",), ("sink",), ("source",)),
        SinkDescription("sink", "out", None, ("echo",)),
    )


def test_nodes_with_more_below_them_come_first_then_by_name() -> None:
    builder = StreamsBuilder()
    source = builder.stream("in")
    source.filter(lambda k, v: True, named="short")
    source.filter(lambda k, v: True, named="long").filter(lambda k, v: True, named="longer")
    source.filter(lambda k, v: True, named="also-short")
    (subtopology,) = builder.build().describe().subtopologies
    assert [node.name for node in subtopology.nodes] == [
        "KSTREAM-SOURCE-0000000000",
        "long",
        "also-short",
        "longer",
        "short",
    ]


def test_a_pattern_and_a_function_show_what_they_are() -> None:
    def by_user(key: Any, value: Any, context: Any) -> str:
        return "out"

    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*")).to(by_user)
    (subtopology,) = builder.build().describe().subtopologies
    source, sink = subtopology.nodes
    assert isinstance(source, SourceDescription)
    assert isinstance(sink, SinkDescription)
    assert (source.topics, source.pattern) == ((), "in-.*")
    assert sink.topic is None
    assert sink.extractor is not None
    assert sink.extractor.endswith("by_user")


def test_describing_changes_nothing() -> None:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).merge(builder.stream("c")).to("out")
    topology = builder.build()
    assert topology.describe() == topology.describe()
    assert str(topology.describe()) == str(builder.build().describe())
