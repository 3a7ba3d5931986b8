"""The coordinates of a scene: boxes for shapes and panels, routes for arrows.

Small pictures are joined to a larger one, twice: shapes to a panel, then panels and topics to the
whole. So panels never overlap and topics are between them. Sources are in the first row of their
panel and sinks in the last, so that no arrow between a topic and a node passes another node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock._engine.topology.picture.labels import Label, headline_width
from penstock._engine.topology.picture.layout import Point, Route, arrange
from penstock._engine.topology.picture.mesh import Block, Link, longest_path_ranks
from penstock._engine.topology.picture.scene import Kind, Panel, Scene

# The ellipse on top of a store is this high.
LID_HEIGHT = 12.0
# A panel's title is this far from its left side.
TITLE_LEFT = 16.0

_BOX_HEIGHT = 46.0
_BOX_PADDING = 14.0
_PILL_PADDING = 20.0
_NODE_GAPS = (18.0, 36.0)
_PANEL_GAPS = (32.0, 48.0)
_PANEL_HEADER = 42.0
_PANEL_PADDING = 24.0
_MARGIN = 30.0
_SHELF_WIDTH = 1400.0
# A store is beside the path of the records; it must not bend it.
_STORE_PULL = 0.05

_SINKS = {Kind.SINK, Kind.DYNAMIC_SINK}
_TOPICS = {Kind.TOPIC, Kind.INTERNAL_TOPIC, Kind.TOPIC_PATTERN, Kind.DYNAMIC_TOPIC}


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; y grows downwards."""

    left: float
    top: float
    width: float
    height: float

    @property
    def centre(self) -> float:
        """The x of the middle, where arrows start and end."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """The y of the lower side."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Picture:
    """The whole scene or a part of it; the keys are indices of shapes, panels and arrows."""

    width: float
    height: float
    boxes: dict[int, Box]
    panels: dict[int, Box]
    routes: dict[int, Route]


def pictured(scene: Scene, labels: Sequence[Label]) -> Picture:
    """Return the coordinates of everything in `scene`, whose shapes have `labels`."""
    panels = [_of_panel(number, panel, scene, labels) for number, panel in enumerate(scene.panels)]
    topics = [i for i, shape in enumerate(scene.shapes) if shape.kind in _TOPICS]
    pieces = [*panels, *(_of_shape(i, scene, labels) for i in topics)]
    groups = _connected(len(pieces), _ends(pieces, scene).values())
    whole = _shelved([_of_group([pieces[n] for n in group], scene) for group in groups])
    return _framed(whole, (_MARGIN, _MARGIN), (_MARGIN, _MARGIN))


def _connected(count: int, ends: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the groups of connected pieces, in their order."""
    group_of = {piece: [piece] for piece in range(count)}
    for tail, head in ends:
        if group_of[tail] is not group_of[head]:
            group_of[tail].extend(group_of[head])
            group_of |= dict.fromkeys(group_of[head], group_of[tail])
    return sorted({tuple(sorted(group)) for group in group_of.values()})


def _of_group(pieces: Sequence[Picture], scene: Scene) -> Picture:
    """Join panels and topics, every topic in a row between panels."""
    ends = _ends(pieces, scene)
    first = [1 if piece.panels else 0 for piece in pieces]
    ranks = longest_path_ranks(first, ends.values())
    written = {head for _, head in ends.values()}
    for piece in {tail for tail, _ in ends.values() if not pieces[tail].panels} - written:
        # A topic that is only read is just above its first reader.
        ranks[piece] = min(ranks[head] for tail, head in ends.values() if tail == piece) - 1
    return _joined(pieces, ranks, ends, scene, _PANEL_GAPS)


def _shelved(pictures: Sequence[Picture]) -> Picture:
    """Place pictures side by side, and below each other where the whole would be too wide; each
    shelf in the middle, where a small screen finds it.
    """
    widest = max([_SHELF_WIDTH, *(picture.width for picture in pictures)])
    shelves: list[list[Picture]] = [[]]
    for picture in pictures:
        if _shelf_width([*shelves[-1], picture]) > widest:
            shelves.append([])
        shelves[-1].append(picture)
    right, top, bottom = max(map(_shelf_width, shelves)), 0.0, 0.0
    moved: list[Picture] = []
    for shelf in shelves:
        x = (right - _shelf_width(shelf)) / 2
        for picture in shelf:
            moved.append(_moved(picture, (x, top)))
            x += picture.width + _PANEL_GAPS[0]
            bottom = max(bottom, top + picture.height)
        top = bottom + 2 * _PANEL_GAPS[1]
    return _merged(moved, (right, bottom))


def _shelf_width(pictures: Sequence[Picture]) -> float:
    return sum(picture.width for picture in pictures) + _PANEL_GAPS[0] * max(0, len(pictures) - 1)


def _of_shape(index: int, scene: Scene, labels: Sequence[Label]) -> Picture:
    kind = scene.shapes[index].kind
    padding = _PILL_PADDING if kind in _TOPICS else _BOX_PADDING
    width = labels[index].width + 2 * padding
    height = _BOX_HEIGHT + (LID_HEIGHT if kind is Kind.STORE else 0)
    return Picture(width, height, {index: Box(0, 0, width, height)}, {}, {})


def _of_member(index: int, scene: Scene, labels: Sequence[Label]) -> Picture:
    """Make a node with one topic as wide as the topic, so that their arrow is straight."""
    alone = _of_shape(index, scene, labels)
    topics = [
        other
        for arrow in scene.arrows
        for one, other in ((arrow.tail, arrow.head), (arrow.head, arrow.tail))
        if one == index and scene.shapes[other].kind in _TOPICS
    ]
    if len(topics) != 1:
        return alone
    needed = _of_shape(topics[0], scene, labels).width + _PANEL_GAPS[0] - _NODE_GAPS[0]
    side = max(0.0, needed - alone.width) / 2
    return _framed(alone, (side, 0.0), (side, 0.0))


def _of_panel(number: int, panel: Panel, scene: Scene, labels: Sequence[Label]) -> Picture:
    pieces = [_of_member(index, scene, labels) for index in panel.members]
    ends = _ends(pieces, scene)
    ranks = longest_path_ranks([0] * len(pieces), ends.values())
    for piece, index in enumerate(panel.members):
        if scene.shapes[index].kind in _SINKS:
            ranks[piece] = max(ranks)
    inner = _joined(pieces, ranks, ends, scene, _NODE_GAPS)
    # The title is left of the first arrow from above.
    sources = [box.centre for i, box in inner.boxes.items() if scene.shapes[i].kind is Kind.SOURCE]
    title_right = TITLE_LEFT + headline_width(panel.title) + TITLE_LEFT
    side = max(_PANEL_PADDING, math.ceil(title_right - min(sources, default=title_right)))
    framed = _framed(inner, (side, _PANEL_HEADER), (side, _PANEL_PADDING))
    framed.panels[number] = Box(0, 0, framed.width, framed.height)
    return framed


def _ends(pieces: Sequence[Picture], scene: Scene) -> dict[int, tuple[int, int]]:
    """Return the indices of the two pieces of each arrow between pieces."""
    piece_of = {index: n for n, piece in enumerate(pieces) for index in piece.boxes}
    ends = {
        n: (piece_of[arrow.tail], piece_of[arrow.head])
        for n, arrow in enumerate(scene.arrows)
        if arrow.tail in piece_of and arrow.head in piece_of
    }
    return {n: (tail, head) for n, (tail, head) in ends.items() if tail != head}


def _joined(
    pieces: Sequence[Picture],
    ranks: Sequence[int],
    ends: dict[int, tuple[int, int]],
    scene: Scene,
    gaps: Point,
) -> Picture:
    """Lay out `pieces` in rows; `ends` are the arrows between them."""
    blocks = [Block(p.width, p.height, rank) for p, rank in zip(pieces, ranks, strict=True)]
    links = []
    for n, (tail, head) in ends.items():
        arrow = scene.arrows[n]
        ports = pieces[tail].boxes[arrow.tail].centre, pieces[head].boxes[arrow.head].centre
        pull = _STORE_PULL if scene.shapes[arrow.head].kind is Kind.STORE else 1.0
        links.append(Link(tail, head, *ports, pull))
    arrangement = arrange(blocks, links, gaps)
    moved = [_moved(piece, at) for piece, at in zip(pieces, arrangement.corners, strict=True)]
    joined = _merged(moved, (arrangement.width, arrangement.height))
    for n, route in zip(ends, arrangement.routes, strict=True):
        tail_box, head_box = joined.boxes[scene.arrows[n].tail], joined.boxes[scene.arrows[n].head]
        # The route ends at the side of a panel; the node is inside.
        points = [(tail_box.centre, tail_box.bottom), *route, (head_box.centre, head_box.top)]
        joined.routes[n] = tuple(dict.fromkeys(points))
    return joined


def _merged(pieces: Sequence[Picture], size: Point) -> Picture:
    merged = Picture(*size, {}, {}, {})
    for piece in pieces:
        merged.boxes.update(piece.boxes)
        merged.panels.update(piece.panels)
        merged.routes.update(piece.routes)
    return merged


def _moved(picture: Picture, by: Point) -> Picture:
    x, y = by
    return Picture(
        picture.width,
        picture.height,
        {i: _moved_box(box, by) for i, box in picture.boxes.items()},
        {i: _moved_box(box, by) for i, box in picture.panels.items()},
        {n: tuple((px + x, py + y) for px, py in route) for n, route in picture.routes.items()},
    )


def _moved_box(box: Box, by: Point) -> Box:
    return Box(box.left + by[0], box.top + by[1], box.width, box.height)


def _framed(picture: Picture, before: Point, after: Point) -> Picture:
    """Leave room at the left and top (`before`) and at the right and bottom (`after`)."""
    moved = _moved(picture, before)
    width = before[0] + picture.width + after[0]
    height = before[1] + picture.height + after[1]
    return Picture(width, height, moved.boxes, moved.panels, moved.routes)
