"""The whole picture: what stands above what, and that no arrow passes behind a shape."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.picture.assembly import Box, Picture, pictured
from penstock._engine.topology.picture.labels import label_of
from penstock._engine.topology.picture.layout import Point, Route
from penstock._engine.topology.picture.scene import Kind, Scene, compose
from tests.unit.engine.topology.picture import samples


def picture_of(description: TopologyDescription) -> tuple[Scene, Picture]:
    scene = compose(description)
    return scene, pictured(scene, [label_of(shape) for shape in scene.shapes])


def box_of(description: TopologyDescription, kind: Kind, text: str) -> Box:
    scene, picture = picture_of(description)
    return next(
        picture.boxes[i]
        for i, shape in enumerate(scene.shapes)
        if (shape.kind, shape.text) == (kind, text)
    )


def along(route: Route) -> Iterator[Point]:
    """Yield points of the drawn line: straight, or a curve that leaves and arrives upright."""
    for (x, y), (next_x, next_y) in pairwise(route):
        for step in range(17):
            part = step / 16
            swing = part * part * (3 - 2 * part) if y != next_y else part
            rise = (1.5 * part * (1 - part) + part**3) if x != next_x else part
            yield x + (next_x - x) * swing, y + (next_y - y) * (rise if y != next_y else 0)


def covers(box: Box, point: Point) -> bool:
    x, y = point
    return box.left < x < box.left + box.width and box.top < y < box.bottom


@pytest.mark.parametrize("description", samples.ALL.values(), ids=samples.ALL)
def test_no_arrow_passes_behind_a_shape_or_a_panel_of_others(
    description: TopologyDescription,
) -> None:
    scene, picture = picture_of(description)
    hit = []
    for n, route in picture.routes.items():
        ends = {scene.arrows[n].tail, scene.arrows[n].head}
        boxes = [box for i, box in picture.boxes.items() if i not in ends]
        boxes += [
            box for i, box in picture.panels.items() if ends.isdisjoint(scene.panels[i].members)
        ]
        hit += [(n, box) for box in boxes if any(covers(box, point) for point in along(route))]
    assert hit == []


@pytest.mark.parametrize("description", samples.ALL.values(), ids=samples.ALL)
def test_titles_are_left_of_every_arrow_into_the_panel(description: TopologyDescription) -> None:
    scene, picture = picture_of(description)
    for n, panel in enumerate(scene.panels):
        sources = [i for i in panel.members if scene.shapes[i].kind is Kind.SOURCE]
        first = min(picture.boxes[i].centre for i in sources)
        assert first - picture.panels[n].left > 8 * len(panel.title)


def test_a_topic_stands_between_the_panels_it_connects() -> None:
    _, picture = picture_of(samples.WORD_COUNT)
    topic = box_of(samples.WORD_COUNT, Kind.INTERNAL_TOPIC, "counts-repartition")
    assert picture.panels[0].bottom < topic.top
    assert topic.bottom < picture.panels[1].top


def test_a_simple_way_is_one_straight_line() -> None:
    scene, picture = picture_of(samples.WORD_COUNT)
    ways = [n for n, a in enumerate(scene.arrows) if scene.shapes[a.head].kind is not Kind.STORE]
    assert len({x for n in ways for x, _ in picture.routes[n]}) == 1


def test_a_store_is_below_its_processor() -> None:
    processor = box_of(samples.CYCLES, Kind.PROCESSOR, "give-up")
    assert box_of(samples.CYCLES, Kind.STORE, "attempts").top > processor.bottom


def test_sinks_share_the_last_row() -> None:
    sinks = ("done", "to-retry", "loop")
    assert len({box_of(samples.CYCLES, Kind.SINK, name).top for name in sinks}) == 1


def test_a_topic_that_leads_back_has_an_arrow_that_goes_up() -> None:
    scene, picture = picture_of(samples.CYCLES)
    upward = [
        (scene.shapes[arrow.tail].text, scene.shapes[arrow.head].text)
        for n, arrow in enumerate(scene.arrows)
        if picture.routes[n][0][1] > picture.routes[n][-1][1]
    ]
    assert upward == [("retry", "retries"), ("again", "once")]


def test_independent_parts_are_wrapped_into_rows() -> None:
    _, picture = picture_of(samples.APART)
    assert picture.width < 1500
    assert len({box.top for box in picture.panels.values()}) > 1


def test_nothing_is_an_empty_page() -> None:
    _, picture = picture_of(samples.topology())
    assert (picture.width, picture.height) == (60.0, 60.0)
