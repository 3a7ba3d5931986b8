"""Rates of arrows follow from what topics count, or are not known."""

from __future__ import annotations

from typing import Any

from penstock import JoinWindows, StreamsBuilder
from penstock._engine.http.console.edge_rates import Flow, edge_rates, flow_of, node_rates
from penstock._engine.topology.topology import Topology


def by_ends(flow: Flow, rates: list[float | None]) -> dict[tuple[str, str], float | None]:
    names = [shape.text for shape in flow.scene.shapes]
    arrows = zip(flow.scene.arrows, rates, strict=True)
    return {(names[arrow.tail], names[arrow.head]): rate for arrow, rate in arrows}


def built(draw: Any) -> Topology:
    builder = StreamsBuilder()
    draw(builder)
    return builder.build()


def test_rates_go_on_where_each_record_is_forwarded() -> None:
    def draw(builder: StreamsBuilder) -> None:
        stream: Any = builder.stream("in").map_values(str).peek(lambda key, value: None)
        stream.filter(lambda key, value: bool(value)).map_values(str).to("out")

    flow = flow_of(built(draw))
    source, map_1, peek, filter_, map_2, sink = (shape.text for shape in flow.scene.shapes[:6])
    rates = edge_rates(flow, {source: {"in": 100.0}}, {sink: {"out": 40.0}}, {})
    assert by_ends(flow, rates) == {
        ("in", source): 100.0,
        (source, map_1): 100.0,
        (map_1, peek): 100.0,
        (peek, filter_): 100.0,
        (filter_, map_2): 40.0,
        (map_2, sink): 40.0,
        (sink, "out"): 40.0,
    }
    assert node_rates(flow, rates, {source: {"in": 100.0}}, {})[filter_] == 100.0


def test_a_join_gets_what_is_kept_for_it() -> None:
    def draw(builder: StreamsBuilder) -> None:
        left: Any = builder.stream("left")
        within = JoinWindows.of_time_difference(50)
        left.join(builder.stream("right"), lambda one, other: one, within).to("out")

    flow = flow_of(built(draw))
    sources = {
        "KSTREAM-SOURCE-0000000000": {"left": 8.0},
        "KSTREAM-SOURCE-0000000001": {"right": 3.0},
    }
    rates = by_ends(flow, edge_rates(flow, sources, {}, {}))
    assert rates["KSTREAM-WINDOWED-0000000002", "KSTREAM-JOINTHIS-0000000004"] == 8.0
    assert rates["KSTREAM-WINDOWED-0000000003", "KSTREAM-JOINOTHER-0000000005"] == 3.0


def test_what_does_not_follow_is_not_known() -> None:
    def draw(builder: StreamsBuilder) -> None:
        stream: Any = builder.stream("in").filter(lambda key, value: bool(value))
        stream.filter(lambda key, value: bool(key)).for_each(lambda key, value: None)

    flow = flow_of(built(draw))
    source, one, other, end = (shape.text for shape in flow.scene.shapes[:4])
    rates = by_ends(flow, edge_rates(flow, {source: {"in": 7.0}}, {}, {}))
    assert rates[source, one] == 7.0
    assert rates[one, other] is None
    assert rates[other, end] is None


def test_each_topic_of_a_source_has_its_own_rate() -> None:
    def draw(builder: StreamsBuilder) -> None:
        builder.stream(["a", "b"]).to("c")

    flow = flow_of(built(draw))
    source = flow.scene.shapes[0].text
    rates = by_ends(flow, edge_rates(flow, {source: {"a": 1.0, "b": 2.0}}, {}, {}))
    assert (rates["a", source], rates["b", source]) == (1.0, 2.0)
    assert rates[source, flow.scene.shapes[1].text] == 3.0


def test_branches_are_not_alike() -> None:
    def draw(builder: StreamsBuilder) -> None:
        stream: Any = builder.stream("in")
        split = stream.split(named="b-").branch(lambda key, value: bool(value))
        one, other = split.default_branch().values()
        one.map_values(str).to("yes")
        other.map_values(str).to("no")

    flow = flow_of(built(draw))
    one, other = (shape.text for shape in flow.scene.shapes if shape.kind == "sink")
    rates = edge_rates(flow, {}, {one: {"x": 5.0}}, {})
    reached = node_rates(flow, rates, {}, {})
    assert reached[one] == 5.0
    assert other not in reached


def test_nodes_that_count_their_records_leave_nothing_open() -> None:
    def draw(builder: StreamsBuilder) -> None:
        stream: Any = builder.stream("in").filter(lambda key, value: bool(value))
        stream.flat_map_values(lambda value: [value]).filter(lambda key, value: True).for_each(
            lambda key, value: None
        )

    flow = flow_of(built(draw))
    source, first, flat, second, end = (shape.text for shape in flow.scene.shapes[:5])
    read = {source: {"in": 100.0}}
    assert None in edge_rates(flow, read, {}, {})
    counted = {first: 100.0, flat: 60.0, second: 180.0, end: 7.0}
    rates = edge_rates(flow, read, {}, counted)
    assert by_ends(flow, rates) == {
        ("in", source): 100.0,
        (source, first): 100.0,
        (first, flat): 60.0,
        (flat, second): 180.0,
        (second, end): 7.0,
    }
    assert node_rates(flow, rates, read, counted) == {**counted, source: 100.0}
