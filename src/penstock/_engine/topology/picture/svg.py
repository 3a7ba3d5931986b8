"""A topology as a self-contained SVG: no script, font or network, readable in light and dark mode.

measure (`picture/labels.py`) -> layer, order, place (`picture/assembly.py`) -> draw (here). What is
shortened on the picture is whole in the `<title>`, which a browser shows on hover.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.picture.assembly import (
    LID_HEIGHT,
    TITLE_LEFT,
    Box,
    Picture,
    pictured,
)
from penstock._engine.topology.picture.labels import CAPTION_PX, HEADLINE_PX, Label, label_of
from penstock._engine.topology.picture.layout import Point, Route
from penstock._engine.topology.picture.scene import Kind, Panel, Scene, Shape, compose


def to_svg(description: TopologyDescription) -> str:
    """Draw sub-topologies as panels, topics as pills between them and stores as cylinders."""
    scene = compose(description)
    labels = [label_of(shape) for shape in scene.shapes]
    picture = pictured(scene, labels)
    size = f'width="{picture.width:g}" height="{picture.height:g}"'
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="penstock-topology" role="img" '
        f'viewBox="0 0 {picture.width:g} {picture.height:g}" {size}>',
        "<title>Topology</title>",
        f"<desc>{_text(_summary(scene))}</desc>",
        f"<style>\n{_style()}</style>",
        _ARROW_HEAD,
        f'<rect class="page" {size} rx="10"/>',
        *(_panel(panel, picture.panels[n]) for n, panel in enumerate(scene.panels)),
        *_arrows(scene, picture),
        *_shapes(scene, labels, picture),
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


_INSIDE = {Kind.SOURCE, Kind.PROCESSOR, Kind.SINK, Kind.DYNAMIC_SINK, Kind.STORE}
_CORNER = 7.0
_TURN_RADIUS = 10.0
_SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

_ARROW_HEAD = (
    '<defs><marker id="penstock-arrow-head" viewBox="0 0 8 8" refX="8" refY="4" '
    'markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
    '<path class="arrow-head" d="M0 0.5L8 4L0 7.5z"/></marker></defs>'
)

_FIXED_STYLE = {
    "text": f"font-family: {_SANS}; text-anchor: middle",
    ".panel-title": f"font-size: {HEADLINE_PX:g}px; font-weight: 600; text-anchor: start",
    ".headline": f"font-size: {HEADLINE_PX:g}px; font-weight: 600",
    ".caption": f"font-family: {_MONO}; font-size: {CAPTION_PX:g}px",
    ".arrow": "fill: none; stroke-width: 1.4",
    ".store-line": "stroke-dasharray: 1.5 4; stroke-linecap: round; stroke-width: 1.8",
    ".dynamic-sink .outline, .dynamic-topic .outline, .topic-pattern .outline": (
        "stroke-dasharray: 5 3"
    ),
}

_TOPIC_OUTLINES = ".topic .outline, .topic-pattern .outline, .dynamic-topic .outline"

# Selector, property, light colour, dark colour. Plain colours, since not every program that shows
# SVG knows CSS variables.
_COLOURS = (
    (".page", "fill", "#ffffff", "#12161c"),
    (".panel rect", "fill", "#f1f5fb", "#1a212b"),
    (".panel rect", "stroke", "#d3ddec", "#2c3848"),
    (".global rect", "fill", "#f7f3ea", "#24211a"),
    (".global rect", "stroke", "#e5dbc3", "#443d2c"),
    ("text", "fill", "#1b2430", "#e9eef5"),
    (".caption, .panel-title", "fill", "#5d6979", "#9dabbd"),
    (".arrow", "stroke", "#8592a3", "#75869c"),
    (".arrow-head", "fill", "#8592a3", "#75869c"),
    (".source .outline, .sink .outline, .dynamic-sink .outline", "fill", "#ffffff", "#202935"),
    (".processor .outline", "fill", "#ffffff", "#202935"),
    (".source .outline", "stroke", "#38a169", "#48b27a"),
    (".source .accent", "fill", "#38a169", "#48b27a"),
    (".processor .outline", "stroke", "#5b84d6", "#6d96e6"),
    (".processor .accent", "fill", "#5b84d6", "#6d96e6"),
    (".sink .outline, .dynamic-sink .outline", "stroke", "#dd8430", "#e2934a"),
    (".sink .accent, .dynamic-sink .accent", "fill", "#dd8430", "#e2934a"),
    (".store .outline", "fill", "#f1ecfb", "#2b2440"),
    (".store .outline", "stroke", "#8765cf", "#9a7de0"),
    (".store-line", "stroke", "#8765cf", "#9a7de0"),
    (_TOPIC_OUTLINES, "fill", "#dcf3f3", "#14353a"),
    (_TOPIC_OUTLINES, "stroke", "#2a97a3", "#3fa9b5"),
    (".internal-topic .outline", "fill", "#eceff3", "#272d36"),
    (".internal-topic .outline", "stroke", "#98a3b1", "#687688"),
)


def _style() -> str:
    fixed = "".join(_rule(selector, rule) for selector, rule in _FIXED_STYLE.items())
    light = "".join(_rule(sel, f"{prop}: {light}") for sel, prop, light, _ in _COLOURS)
    dark = "".join(_rule(sel, f"{prop}: {dark}") for sel, prop, _, dark in _COLOURS)
    return f"{fixed}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _rule(selector: str, rule: str) -> str:
    """Limit a rule to our pictures: in an HTML page a style applies to everything."""
    ours = ", ".join(f".penstock-topology {part}" for part in selector.split(", "))
    return f"{ours} {{ {rule} }}\n"


def _summary(scene: Scene) -> str:
    topics = {i for i, shape in enumerate(scene.shapes) if shape.kind not in _INSIDE}
    read = topics - {arrow.head for arrow in scene.arrows}
    written = topics - {arrow.tail for arrow in scene.arrows}
    titles = ", ".join(panel.title for panel in scene.panels)
    return (
        f"A stream processing topology of {titles or 'no sub-topology'}; "
        f"reads {_listed(scene, read)}; writes {_listed(scene, written)}."
    )


def _listed(scene: Scene, indices: set[int]) -> str:
    return ", ".join(scene.shapes[i].text for i in sorted(indices)) or "nothing"


def _panel(panel: Panel, box: Box) -> str:
    kind = "panel global" if panel.is_global else "panel"
    title = _line("panel-title", panel.title, (box.left + TITLE_LEFT, box.top + 25))
    return f'<g class="{kind}"><rect {_place(box)} rx="12"/>{title}</g>'


def _arrows(scene: Scene, picture: Picture) -> Iterator[str]:
    for n, arrow in enumerate(scene.arrows):
        path = path_of(picture.routes[n])
        if scene.shapes[arrow.head].kind is Kind.STORE:
            yield f'<path class="arrow store-line" d="{path}"/>'
        else:
            yield f'<path class="arrow" marker-end="url(#penstock-arrow-head)" d="{path}"/>'


def path_of(route: Route) -> str:
    """Leave and arrive upright: curves between rows, rounded corners where a way turns around."""
    path = f"M{route[0][0]:g} {route[0][1]:g}"
    for (before, here), after in zip(pairwise(route), [*route[2:], None], strict=True):
        if before[0] != here[0] and before[1] != here[1]:
            middle = (before[1] + here[1]) / 2
            path += f"C{before[0]:g} {middle:g} {here[0]:g} {middle:g} {here[0]:g} {here[1]:g}"
        elif after and _is_level(before, here) != _is_level(here, after):
            start, end = _towards(here, before), _towards(here, after)
            path += f"L{start[0]:g} {start[1]:g}Q{here[0]:g} {here[1]:g} {end[0]:g} {end[1]:g}"
        else:
            path += f"L{here[0]:g} {here[1]:g}"
    return path


def _is_level(one: Point, other: Point) -> bool:
    return one[1] == other[1]


def _towards(one: Point, other: Point) -> Point:
    """Return the point from `one` towards `other` by a corner's radius, at most half the way."""
    length = abs(other[0] - one[0]) + abs(other[1] - one[1])
    part = min(_TURN_RADIUS / length, 0.5)
    return one[0] + (other[0] - one[0]) * part, one[1] + (other[1] - one[1]) * part


def _shapes(scene: Scene, labels: Sequence[Label], picture: Picture) -> Iterator[str]:
    for i, (shape, label) in enumerate(zip(scene.shapes, labels, strict=True)):
        box = picture.boxes[i]
        middle = box.top + box.height / 2 + (LID_HEIGHT / 2 if shape.kind is Kind.STORE else 0)
        yield (
            f'<g class="{shape.kind}"><title>{_text(_hover_text(shape))}</title>'
            f"{_outline(shape.kind, box)}"
            f"{_line('headline', label.headline, (box.centre, middle - 3))}"
            f"{_line('caption', label.caption, (box.centre, middle + 13))}</g>"
        )


def _line(kind: str, text: str, at: Point) -> str:
    return f'<text class="{kind}" x="{at[0]:g}" y="{at[1]:g}">{_text(text)}</text>'


def _hover_text(shape: Shape) -> str:
    return f"{shape.kind.replace('-', ' ')}: {shape.text}"


def _outline(kind: Kind, box: Box) -> str:
    if kind is Kind.STORE:
        return _cylinder(box)
    if kind not in _INSIDE:
        return f'<rect class="outline" {_place(box)} rx="{box.height / 2:g}"/>'
    r = _CORNER
    strip = (
        f"M{box.left + r:g} {box.top:g}a{r:g} {r:g} 0 0 0 {-r:g} {r:g}v{box.height - 2 * r:g}"
        f"a{r:g} {r:g} 0 0 0 {r:g} {r:g}z"
    )
    return f'<rect class="outline" {_place(box)} rx="{r:g}"/><path class="accent" d="{strip}"/>'


def _cylinder(box: Box) -> str:
    half, lid = box.width / 2, LID_HEIGHT / 2
    lid_arc = f"a{half:g} {lid:g} 0 0"
    return (
        f'<path class="outline" d="M{box.left:g} {box.top + lid:g}{lid_arc} 1 {box.width:g} 0'
        f"v{box.height - LID_HEIGHT:g}{lid_arc} 1 {-box.width:g} 0z"
        f'm0 0{lid_arc} 0 {box.width:g} 0"/>'
    )


def _place(box: Box) -> str:
    return f'x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{box.height:g}"'


def _text(text: str) -> str:
    """Escape for XML, which has no way at all to write most control characters."""
    return escape(re.sub(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\ufffd", text))
