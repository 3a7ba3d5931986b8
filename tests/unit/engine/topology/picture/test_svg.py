"""The drawn SVG, read back: everything is there, in place, escaped, and needs nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.picture.assembly import Box
from penstock._engine.topology.picture.labels import caption_width, headline_width
from penstock._engine.topology.picture.scene import Kind, compose
from penstock._engine.topology.picture.svg import to_svg
from tests.unit.engine.topology.picture import samples

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

every_sample = pytest.mark.parametrize("description", samples.ALL.values(), ids=samples.ALL)


@dataclass(frozen=True)
class Drawn:
    """A shape as it stands in the SVG."""

    kind: str
    hover_text: str
    headline: str
    caption: str
    box: Box


def shapes(description: TopologyDescription) -> list[Drawn]:
    kinds = set(Kind)
    groups = ET.fromstring(to_svg(description)).iter(f"{SVG}g")
    return [drawn(group) for group in groups if group.get("class") in kinds]


def drawn(group: ET.Element) -> Drawn:
    headline, caption = (text.text or "" for text in group.iter(f"{SVG}text"))
    return Drawn(
        group.get("class", ""),
        group.findtext(f"{SVG}title", ""),
        headline,
        caption,
        outline(group),
    )


def outline(group: ET.Element) -> Box:
    rect = group.find(f"{SVG}rect")
    if rect is not None:
        return rectangle(rect)
    path = group.find(f"{SVG}path")
    assert path is not None
    # M left top+lid a half lid 0 0 1 width 0 v height-2*lid ...
    left, lid_top, _, lid, _, _, _, width, _, wall, *_ = numbers(path)
    return Box(left, lid_top - lid, width, wall + 2 * lid)


def rectangle(rect: ET.Element) -> Box:
    left, top, width, height = (float(rect.get(key, "")) for key in ("x", "y", "width", "height"))
    return Box(left, top, width, height)


def numbers(path: ET.Element) -> list[float]:
    return [float(number) for number in NUMBER.findall(path.get("d", ""))]


def overlap(one: Box, other: Box) -> bool:
    return (
        one.left < other.left + other.width
        and other.left < one.left + one.width
        and one.top < other.bottom
        and other.top < one.bottom
    )


@every_sample
def test_every_shape_is_drawn_with_its_full_name(description: TopologyDescription) -> None:
    expected = [
        f"{shape.kind.replace('-', ' ')}: {shape.text}" for shape in compose(description).shapes
    ]
    assert [shape.hover_text for shape in shapes(description)] == expected


@every_sample
def test_no_two_shapes_overlap(description: TopologyDescription) -> None:
    pairs = combinations(shapes(description), 2)
    assert [(one, other) for one, other in pairs if overlap(one.box, other.box)] == []


@every_sample
def test_panels_hold_their_own_shapes_and_no_others(description: TopologyDescription) -> None:
    root = ET.fromstring(to_svg(description))
    panels = [
        outline(group)
        for group in root.iter(f"{SVG}g")
        if group.get("class") in {"panel", "panel global"}
    ]
    boxes = [shape.box for shape in shapes(description)]
    held = [tuple(i for i, box in enumerate(boxes) if overlap(panel, box)) for panel in panels]
    assert held == [panel.members for panel in compose(description).panels]


@every_sample
def test_arrows_run_from_border_to_border(description: TopologyDescription) -> None:
    boxes = [shape.box for shape in shapes(description)]
    joined = [(boxes[arrow.tail], boxes[arrow.head]) for arrow in compose(description).arrows]
    expected = [[tail.centre, tail.bottom, head.centre, head.top] for tail, head in joined]
    paths = ET.fromstring(to_svg(description)).findall(f"{SVG}path")
    ends = [numbers(path)[:2] + numbers(path)[-2:] for path in paths]
    assert ends == expected


@every_sample
def test_text_stays_inside_its_shape(description: TopologyDescription) -> None:
    wide = [
        shape
        for shape in shapes(description)
        if max(headline_width(shape.headline), caption_width(shape.caption)) > shape.box.width - 24
    ]
    assert wide == []


@every_sample
def test_everything_is_on_the_page(description: TopologyDescription) -> None:
    root = ET.fromstring(to_svg(description))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    outside = [
        shape.box
        for shape in shapes(description)
        if not (0 <= shape.box.left <= width - shape.box.width)
        or not (0 <= shape.box.top <= height - shape.box.height)
    ]
    assert outside == []


@every_sample
def test_equal_descriptions_give_equal_pictures(description: TopologyDescription) -> None:
    assert to_svg(description) == to_svg(description)


def test_a_generated_name_shows_its_verb_and_a_given_name_itself() -> None:
    shown = [(shape.headline, shape.caption) for shape in shapes(samples.WORD_COUNT)]
    assert shown[1:4] == [
        ("flat_map_values", "KSTREAM-FLATMAPVALUES-0000000001"),
        ("select_key", "KSTREAM-KEY-SELECT-0000000002"),
        ("counts-repartition-filter", "processor"),
    ]


def test_names_are_escaped() -> None:
    assert f"processor: {samples.AWKWARD}" in [s.hover_text for s in shapes(samples.ODDITIES)]


def test_characters_that_xml_cannot_write_are_replaced() -> None:
    name = "a\x00b\x1fc\ud800d\uffff"
    description = samples.topology(samples.subtopology(0, [], reads={name: ("t",)}))
    shown = shapes(description)[0]
    assert shown.hover_text == "source: a\ufffdb\ufffdc\ufffdd\ufffd"
    to_svg(description).encode()


def test_a_topic_written_and_read_is_one_pill() -> None:
    kinds = {shape.headline: shape.kind for shape in shapes(samples.WORD_COUNT)}
    assert kinds["counts-repartition"] == "internal-topic"
    assert len(shapes(samples.WORD_COUNT)) == 13


def test_lines_to_stores_are_dotted_and_have_no_head() -> None:
    paths = ET.fromstring(to_svg(samples.CYCLES)).findall(f"{SVG}path")
    lines = [path for path in paths if path.get("class") == "arrow store-line"]
    assert [path.get("marker-end") for path in lines] == [None] * 3


def test_dynamic_sinks_are_dashed() -> None:
    svg = to_svg(samples.ODDITIES)
    assert '<g class="dynamic-sink"><title>dynamic sink: route</title>' in svg
    assert ".penstock-topology .dynamic-sink .outline, " in svg


def test_the_picture_says_what_it_is() -> None:
    root = ET.fromstring(to_svg(samples.WORD_COUNT))
    assert root.get("role") == "img"
    assert [root[0].text, root[1].text] == [
        "Topology",
        "A stream processing topology of Sub-topology 0, Sub-topology 1; "
        "reads lines; writes counts.",
    ]


def test_the_picture_needs_nothing_from_outside() -> None:
    svg = to_svg(samples.ODDITIES).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert re.findall(r"https?:|<script|href|@import|@font-face|<image|\bon\w+=", svg) == []
    assert set(re.findall(r"url\([^)]*\)", svg)) == {"url(#penstock-arrow-head)"}


def test_dark_mode_has_a_colour_for_everything_light_mode_has() -> None:
    style = ET.fromstring(to_svg(samples.WORD_COUNT)).findtext(f"{SVG}style", "")
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    colour = re.compile(r"^(.*) \{ (fill|stroke): #[0-9a-f]{6} \}$", re.MULTILINE)
    assert len(colour.findall(dark)) > 20
    assert colour.findall(light) == colour.findall(dark)


def test_styles_touch_nothing_else_on_a_page() -> None:
    style = ET.fromstring(to_svg(samples.WORD_COUNT)).findtext(f"{SVG}style", "")
    rules = [line for line in style.splitlines() if " { " in line]
    selectors = [part for rule in rules for part in rule.partition(" { ")[0].split(", ")]
    assert {selector.split()[0] for selector in selectors} == {".penstock-topology"}
