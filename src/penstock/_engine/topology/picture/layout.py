"""Places ranked blocks in rows and routes the links between them: sizes in, coordinates out.

The layered method of Sugiyama: rank, cut long links (`mesh.py`), order (`order.py`), place across
(`placement.py`) and, here, down, then route. Its law: a link touches no block but its two ends,
because it bends only between two rows and elsewhere runs straight down a lane of its own; links
that point upwards run at the right of all they pass. Nothing here knows what a topology is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from penstock._engine.topology.picture.mesh import LANE_WIDTH, Block, Link, Mesh, with_lanes
from penstock._engine.topology.picture.order import Rows, ordered
from penstock._engine.topology.picture.placement import placed

Point: TypeAlias = tuple[float, float]
Route: TypeAlias = tuple[Point, ...]

# Rows get further apart by this part of the widest swing of a link between them.
_SWING_ROOM = 0.09
_SWING_ROOM_MAX = 70.0
# Links that point upwards turn around in tracks this far from the row and from each other.
_TRACK_GAP = 12.0


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Each block's left upper corner, each link's route, and the size of the whole."""

    corners: tuple[Point, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def arrange(blocks: Sequence[Block], links: Sequence[Link], gaps: Point) -> Arrangement:
    """Place `blocks` about `gaps` apart and route `links` from bottom sides to top sides."""
    mesh = with_lanes(blocks, links)
    rows = ordered(mesh)
    lefts = placed(mesh, rows, gaps[0])
    upward = _upward(mesh, links, lefts)
    bands = _bands(mesh, rows, lefts, [links[n] for n in upward], gaps[1])
    routes = tuple(
        _route_up(mesh, link, lefts, bands, upward[n])
        if n in upward
        else _route_down(mesh, link, mesh.lanes[n], lefts, bands)
        for n, link in enumerate(links)
    )
    rights = [left + block.width for left, block in zip(lefts, mesh.blocks, strict=True)]
    points = [point for route in routes for point in route]
    return Arrangement(
        corners=tuple((lefts[i], bands[block.rank][0]) for i, block in enumerate(blocks)),
        routes=routes,
        width=max([*rights, *(x for x, _ in points)], default=0.0),
        height=max([*(bottom for _, bottom in bands), *(y for _, y in points)], default=0.0),
    )


def _upward(mesh: Mesh, links: Sequence[Link], lefts: list[float]) -> dict[int, Point]:
    """Return the x of each upward link's lane and the distance of its tracks; short ones inside."""
    rights = [0.0] * (1 + max((block.rank for block in mesh.blocks), default=0))
    for left, block in zip(lefts, mesh.blocks, strict=True):
        rights[block.rank] = max(rights[block.rank], left + block.width)
    passed = {
        n: slice(mesh.blocks[link.head].rank, mesh.blocks[link.tail].rank + 1)
        for n, link in enumerate(links)
        if mesh.blocks[link.head].rank <= mesh.blocks[link.tail].rank
    }
    upward: dict[int, Point] = {}
    for n, ranks in sorted(passed.items(), key=lambda item: item[1].stop - item[1].start):
        x = max(rights[ranks]) + 2 * _TRACK_GAP
        rights[ranks] = [x] * len(rights[ranks])
        upward[n] = (x, _TRACK_GAP * (1 + len(upward)))
    return upward


def _bands(
    mesh: Mesh, rows: Rows, lefts: list[float], upward: Sequence[Link], gap: float
) -> list[Point]:
    """Return each row's top and bottom; rows with wide swings between them are further apart."""
    swings = [0.0] * len(rows)
    for link in mesh.links:
        rank = mesh.blocks[link.head].rank
        swing = lefts[link.tail] + link.tail_port - lefts[link.head] - link.head_port
        swings[rank] = max(swings[rank], abs(swing))
    turning = {mesh.blocks[link.tail].rank + 1 for link in upward}
    turning |= {mesh.blocks[link.head].rank for link in upward}
    bands: list[Point] = []
    for rank, row in enumerate(rows):
        room = gap + math.ceil(min(swings[rank] * _SWING_ROOM, _SWING_ROOM_MAX))
        room += _TRACK_GAP * len(upward) if rank in turning else 0.0
        top = bands[-1][1] + room if bands else 0.0
        bands.append((top, top + max((mesh.blocks[i].height for i in row), default=0.0)))
    return bands


def _route_down(
    mesh: Mesh, link: Link, lanes: list[int], lefts: list[float], bands: list[Point]
) -> Route:
    tail, head = mesh.blocks[link.tail], mesh.blocks[link.head]
    start, end = lefts[link.tail] + link.tail_port, lefts[link.head] + link.head_port
    points = [(start, bands[tail.rank][0] + tail.height), (start, bands[tail.rank][1])]
    for lane in lanes:
        x = lefts[lane] + LANE_WIDTH / 2
        points += [(x, y) for y in bands[mesh.blocks[lane].rank]]
    return tuple(dict.fromkeys([*points, (end, bands[head.rank][0])]))


def _route_up(mesh: Mesh, link: Link, lefts: list[float], bands: list[Point], lane: Point) -> Route:
    tail, head = mesh.blocks[link.tail], mesh.blocks[link.head]
    start, end = lefts[link.tail] + link.tail_port, lefts[link.head] + link.head_port
    x, track = lane
    low, high = bands[tail.rank][1] + track, bands[head.rank][0] - track
    bottom, top = bands[tail.rank][0] + tail.height, bands[head.rank][0]
    return (start, bottom), (start, low), (x, low), (x, high), (end, high), (end, top)
