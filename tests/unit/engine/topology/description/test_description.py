"""The text of a description, byte for byte."""

from __future__ import annotations

from penstock._engine.topology.description.description import (
    GlobalStoreDescription,
    ProcessorDescription,
    SinkDescription,
    SourceDescription,
    SubtopologyDescription,
    TopologyDescription,
)

SOURCE = SourceDescription("source", ("b", "a"), None, ("p", "q"))
PROCESSOR = ProcessorDescription("p", (), (), ("source",))
SINK = SinkDescription("sink", "out", None, ("p", "source"))


def test_source() -> None:
    assert str(SOURCE) == "Source: source (topics: [b, a])\n      --> p, q"


def test_source_by_pattern_without_successors() -> None:
    source = SourceDescription("source", (), "in-.*", ())
    assert str(source) == "Source: source (topics: in-.*)\n      --> none"


def test_processor() -> None:
    assert str(PROCESSOR) == "Processor: p (stores: [])\n      --> none\n      <-- source"


def test_sink() -> None:
    assert str(SINK) == "Sink: sink (topic: out)\n      <-- p, source"


def test_sink_by_function() -> None:
    sink = SinkDescription("sink", None, "by_user", ("p",))
    assert str(sink) == "Sink: sink (extractor class: by_user)\n      <-- p"


def test_global_stores_stand_among_the_sub_topologies_by_number() -> None:
    text = str(
        TopologyDescription(
            (SubtopologyDescription(0, (SOURCE,)), SubtopologyDescription(2, (SINK,))),
            (GlobalStoreDescription(1, SOURCE, PROCESSOR),),
        )
    )
    assert text == (
        "Topologies:\n"
        "   Sub-topology: 0\n"
        "    Source: source (topics: [b, a])\n"
        "      --> p, q\n"
        "\n"
        "  Sub-topology: 1 for global store (will not generate tasks)\n"
        "    Source: source (topics: [b, a])\n"
        "      --> p, q\n"
        "    Processor: p (stores: [])\n"
        "      --> none\n"
        "      <-- source\n"
        "  Sub-topology: 2\n"
        "    Sink: sink (topic: out)\n"
        "      <-- p, source\n"
        "\n"
    )


def test_nothing() -> None:
    assert str(TopologyDescription((), ())) == "Topologies:\n "
