"""The drawing surface of a builder."""

from __future__ import annotations

from penstock import Repartitioned, StreamsBuilder
from penstock._engine.topology.graph import Graph, ProcessorDrawing
from penstock._engine.topology.nodes.stream_nodes import Filter, PassThrough


def test_steps_hang_on_the_indices_of_others_each_once() -> None:
    graph = Graph()
    first = graph.add(ProcessorDrawing("a", PassThrough()))
    second = graph.add(ProcessorDrawing("b", PassThrough()), first, first)
    assert (first, second) == (0, 1)
    assert graph.steps[second].parents == (0,)


def test_a_step_knows_the_users_line() -> None:
    graph = Graph()
    graph.add(ProcessorDrawing("a", PassThrough()))
    assert str(graph.steps[0].location).startswith(f"{__file__}:")


def test_a_redrawn_step_stays_where_it_was() -> None:
    graph = Graph()
    graph.add(ProcessorDrawing("a", PassThrough()))
    graph.add(ProcessorDrawing("b", PassThrough()), 0)
    before = graph.steps[1]
    graph.redraw(1, ProcessorDrawing("b", Filter(bool, keep_when=True)))
    after = graph.steps[1]
    assert (after.parents, after.location) == (before.parents, before.location)
    assert after.drawing != before.drawing


def nodes_of(option: Repartitioned[object, object]) -> list[str]:
    builder = StreamsBuilder()
    builder.stream("in").repartition(option)
    return [name for name in builder.build().nodes if "SOURCE-0000000000" not in name]


def test_a_repartition_is_named_by_numbers() -> None:
    assert nodes_of(Repartitioned()) == [
        "KSTREAM-FILTER-0000000003",
        "KSTREAM-SINK-0000000002",
        "KSTREAM-SOURCE-0000000004",
    ]


def test_a_repartition_is_named_by_the_user() -> None:
    named = ["by-user-repartition-filter", "by-user-repartition-sink", "by-user-repartition-source"]
    assert nodes_of(Repartitioned(name="by-user")) == named
    assert nodes_of(Repartitioned(name="by-user-repartition")) == named


def test_a_step_drawn_again_comes_after_all_others() -> None:
    graph = Graph()
    graph.add(ProcessorDrawing("a", PassThrough()))
    graph.add(ProcessorDrawing("b", PassThrough()))
    graph.draw_again(0)
    assert [step.drawing.name for step in sorted(graph.steps, key=lambda s: s.priority)] == [
        "b",
        "a",
    ]
