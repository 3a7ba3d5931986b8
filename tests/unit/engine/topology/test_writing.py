"""Drawings become nodes."""

from __future__ import annotations

from typing import get_args

from penstock import JoinWindows, StreamsBuilder
from penstock._engine.topology import writing
from penstock._engine.topology.graph import Drawing
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode


def test_there_is_a_writer_for_every_kind_of_drawing() -> None:
    assert set(writing._WRITERS) == set(get_args(Drawing))


def test_a_stream_join_is_five_nodes() -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.stream("right")
    left.join(right, lambda one, other: one, JoinWindows.of_time_difference(5))
    nodes = builder.build().nodes
    assert {
        name: node.parents for name, node in nodes.items() if isinstance(node, ProcessorNode)
    } == {
        "KSTREAM-WINDOWED-0000000002": ("KSTREAM-SOURCE-0000000000",),
        "KSTREAM-WINDOWED-0000000003": ("KSTREAM-SOURCE-0000000001",),
        "KSTREAM-JOINTHIS-0000000004": ("KSTREAM-WINDOWED-0000000002",),
        "KSTREAM-JOINOTHER-0000000005": ("KSTREAM-WINDOWED-0000000003",),
        "KSTREAM-MERGE-0000000006": (
            "KSTREAM-JOINTHIS-0000000004",
            "KSTREAM-JOINOTHER-0000000005",
        ),
    }
