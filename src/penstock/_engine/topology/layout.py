"""Put ranked blocks into rows so that few links cross and most run straight.

Measured blocks in, coordinates out: the layered method of Sugiyama in its usual steps, each a
function of its own. Rank (`longest_path_ranks`), give links that skip rows a lane through them
(`_with_lanes`), order the rows by barycentres (`_ordered`), place across (`_settled`,
`_straightened`) and down (`_bands`), route (`_routes`). Its law: a link touches no block but its
two ends, because it bends only between two rows and elsewhere runs straight down a lane of its own;
links that point upwards run at the right of all they pass. Nothing here knows what a topology is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
Route: TypeAlias = tuple[Point, ...]

_LANE_WIDTH = 8.0
_LANE_GAP = 10.0
_LANE_PULL = 4.0
_TRACK_GAP = 12.0
_ORDER_SWEEPS = 12
_SETTLE_SWEEPS = 30
_ONE_SIDED_SWEEPS = 6
_STRAIGHTEN_SWEEPS = 12
_NO_PULL = 1e-6
_SLANT = 0.09
_SLANT_ROOM_MAX = 70.0


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle to place; blocks of one rank share a row."""

    width: float
    height: float
    rank: int


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two blocks, whose ports are distances from the blocks' left sides.

    One with a `pull` below 1 may bend; it never bends the others.
    """

    tail: int
    head: int
    tail_port: float
    head_port: float
    pull: float = 1.0


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Each block's left upper corner, each link's way, and the size of the whole."""

    corners: tuple[Point, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def arrange(blocks: Sequence[Block], links: Sequence[Link], gaps: Point) -> Arrangement:
    """Place `blocks` at least `gaps` apart and route `links` from bottom sides to top sides."""
    mesh = _with_lanes(blocks, links)
    rows = _ordered(mesh)
    lefts = _straightened(mesh, rows, _settled(mesh, rows, gaps[0]), gaps[0])
    bands = _bands(mesh, rows, links, lefts, gaps[1])
    routes = _routes(mesh, links, lefts, bands)
    rights = [left + block.width for left, block in zip(lefts, mesh.blocks, strict=True)]
    points = [point for route in routes for point in route]
    return Arrangement(
        corners=tuple((lefts[i], bands[block.rank][0]) for i, block in enumerate(blocks)),
        routes=routes,
        width=max([*rights, *(x for x, _ in points)], default=0.0),
        height=max([*(bottom for _, bottom in bands), *(y for _, y in points)], default=0.0),
    )


def longest_path_ranks(first: Sequence[int], links: Iterable[tuple[int, int]]) -> list[int]:
    """Rank each block below all that lead to it and not above its `first` rank.

    Links that close a cycle do not count; they point upwards afterwards.
    """
    below: list[list[int]] = [[] for _ in first]
    for tail, head in links:
        below[tail].append(head)
    ranks = list(first)
    for block in _topological(below):
        for head in below[block]:
            ranks[head] = max(ranks[head], ranks[block] + 1)
    return ranks


def _topological(below: list[list[int]]) -> list[int]:
    """Give all blocks, each before those below it; takes out of `below` what closes a cycle."""
    entered = {head for heads in below for head in heads}
    done: dict[int, None] = {}
    for root in sorted(range(len(below)), key=lambda block: block in entered):
        path = [] if root in done else [root]
        while path:
            block = path[-1]
            below[block] = [head for head in below[block] if head not in path]
            waiting = next((head for head in below[block] if head not in done), None)
            if waiting is None:
                done[path.pop()] = None
            else:
                path.append(waiting)
    return list(reversed(done))


@dataclass(frozen=True, slots=True)
class _Mesh:
    """Blocks and lanes, with links between neighbouring rows only.

    `lanes` has the lanes of each original link. Links that point upwards are not in the mesh.
    """

    blocks: list[Block]
    links: list[Link]
    lanes: list[list[int]]


def _with_lanes(blocks: Sequence[Block], links: Sequence[Link]) -> _Mesh:
    mesh = _Mesh(list(blocks), [], [])
    for link in links:
        ranks = range(blocks[link.tail].rank + 1, blocks[link.head].rank)
        lanes = [len(mesh.blocks) + n for n in range(len(ranks))]
        mesh.blocks.extend(Block(_LANE_WIDTH, 0.0, rank) for rank in ranks)
        mesh.lanes.append(lanes)
        if blocks[link.head].rank > blocks[link.tail].rank:
            mesh.links.extend(_pieces(link, lanes))
    return mesh


def _pieces(link: Link, lanes: list[int]) -> Iterator[Link]:
    """Cut a link at its lanes; the pieces between two lanes are kept straight more firmly."""
    middle = _LANE_WIDTH / 2
    for tail, head in pairwise([link.tail, *lanes, link.head]):
        starts, ends = tail == link.tail, head == link.head
        yield replace(
            link,
            tail=tail,
            head=head,
            tail_port=link.tail_port if starts else middle,
            head_port=link.head_port if ends else middle,
            pull=link.pull if starts or ends else _LANE_PULL,
        )


def _ordered(mesh: _Mesh) -> list[list[int]]:
    """Order each row by where its neighbours are, above and below in turn; keep the best seen."""
    rows = _first_order(mesh)
    best, fewest = rows, _crossing_count(mesh, rows)
    for sweep in range(_ORDER_SWEEPS):
        rows = _swept(mesh, rows, downwards=sweep % 2 == 0)
        crossing_count = _crossing_count(mesh, rows)
        if crossing_count < fewest:
            best, fewest = rows, crossing_count
    return best


def _first_order(mesh: _Mesh) -> list[list[int]]:
    """Go depth first, so that what belongs to one branch stands together in every row."""
    below: list[list[int]] = [[] for _ in mesh.blocks]
    for link in mesh.links:
        below[link.tail].append(link.head)
    rows: list[list[int]] = [[] for _ in range(1 + max((b.rank for b in mesh.blocks), default=-1))]
    waiting = sorted(range(len(mesh.blocks)), key=lambda i: (-mesh.blocks[i].rank, -i))
    seen: set[int] = set()
    while waiting:
        block = waiting.pop()
        if block not in seen:
            seen.add(block)
            rows[mesh.blocks[block].rank].append(block)
            waiting.extend(reversed(below[block]))
    return rows


def _swept(mesh: _Mesh, rows: list[list[int]], *, downwards: bool) -> list[list[int]]:
    slots = _slots(mesh, rows)
    neighbours: list[list[tuple[int, float, float]]] = [[] for _ in mesh.blocks]
    for link in mesh.links:
        here, there, port = link.tail, link.head, link.head_port
        if downwards:
            here, there, port = link.head, link.tail, link.tail_port
        neighbours[here].append((there, port / mesh.blocks[there].width, link.pull))

    def barycentre(block: int) -> float:
        pull = sum(pull for _, _, pull in neighbours[block])
        if not pull:
            return slots[block] + 0.5
        return sum((slots[i] + port) * pull for i, port, pull in neighbours[block]) / pull

    swept = [list(row) for row in rows]
    for row in swept if downwards else reversed(swept):
        row.sort(key=barycentre)
        for slot, block in enumerate(row):
            slots[block] = slot
    return swept


def _crossing_count(mesh: _Mesh, rows: list[list[int]]) -> int:
    slots = _slots(mesh, rows)
    between: list[list[Point]] = [[] for _ in rows]
    for link in mesh.links:
        tail, head = mesh.blocks[link.tail], mesh.blocks[link.head]
        above = slots[link.tail] + link.tail_port / tail.width
        below = slots[link.head] + link.head_port / head.width
        between[tail.rank].append((above, below))
    return sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for ends in between
        for one, other in combinations(ends, 2)
    )


def _slots(mesh: _Mesh, rows: list[list[int]]) -> list[int]:
    slots = [0] * len(mesh.blocks)
    for row in rows:
        for slot, block in enumerate(row):
            slots[block] = slot
    return slots


# For each block: who pulls it, how far from his left side to, how strongly.
_Pulls: TypeAlias = list[list[tuple[int, float, float]]]


def _pulls(mesh: _Mesh) -> tuple[_Pulls, _Pulls]:
    above: _Pulls = [[] for _ in mesh.blocks]
    below: _Pulls = [[] for _ in mesh.blocks]
    for link in mesh.links:
        shift = link.tail_port - link.head_port
        above[link.head].append((link.tail, shift, link.pull))
        below[link.tail].append((link.head, -shift, link.pull))
    return above, below


def _settled(mesh: _Mesh, rows: list[list[int]], gap: float) -> list[float]:
    """Give each block's left side: row after row moves to where its links pull it.

    Every move lessens the sum of the links' squared slants, so this comes to rest. The first sweeps
    follow the links of one side only, which moves whole branches early.
    """
    lefts = [0.0] * len(mesh.blocks)
    offsets = [_offsets(mesh, row, gap) for row in rows]
    for row, row_offsets in zip(rows, offsets, strict=True):
        for block, offset in zip(row, row_offsets, strict=True):
            lefts[block] = offset - (row_offsets[-1] + mesh.blocks[row[-1]].width) / 2
    above, below = _pulls(mesh)
    both = [up + down for up, down in zip(above, below, strict=True)]
    steps = list(zip(rows, offsets, strict=True))
    for sweep in range(_SETTLE_SWEEPS):
        downwards = sweep % 2 == 0
        pulls = both if sweep >= _ONE_SIDED_SWEEPS else above if downwards else below
        for row, row_offsets in steps if downwards else reversed(steps):
            _settle(row, row_offsets, pulls, lefts)
    return lefts


def _offsets(mesh: _Mesh, row: list[int], gap: float) -> list[float]:
    """Give the least distance of each block's left side from the first one's."""
    offsets = [0.0] if row else []
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + _distance(mesh, one, other, gap))
    return offsets


def _distance(mesh: _Mesh, one: int, other: int, gap: float) -> float:
    """Give the least distance between the left sides of two neighbours in a row."""
    are_lanes = mesh.blocks[one].height == mesh.blocks[other].height == 0.0
    return mesh.blocks[one].width + (_LANE_GAP if are_lanes else gap)


def _settle(row: list[int], offsets: list[float], pulls: _Pulls, lefts: list[float]) -> None:
    """Move the blocks of one row as near as possible to where they are pulled, in order and apart.

    With the offsets taken away this is isotonic regression by least squares: neighbours that would
    collide are pooled and share a place.
    """
    pools: list[tuple[float, float, int]] = []
    for block, offset in zip(row, offsets, strict=True):
        wanted, pull = _wanted(pulls[block], lefts)
        pool = ((wanted if pull else lefts[block]) - offset, pull or _NO_PULL, 1)
        while pools and pools[-1][0] > pool[0]:
            place, pull, size = pools.pop()
            total = pull + pool[1]
            pool = ((place * pull + pool[0] * pool[1]) / total, total, size + pool[2])
        pools.append(pool)
    places = [place for place, _, size in pools for _ in range(size)]
    for block, offset, place in zip(row, offsets, places, strict=True):
        lefts[block] = place + offset


def _wanted(pulls: Iterable[tuple[int, float, float]], lefts: list[float]) -> Point:
    """Give the mean of the places that `pulls` ask for, and how strongly they do."""
    total = place = 0.0
    for other, shift, pull in pulls:
        total += pull
        place += (lefts[other] + shift) * pull
    return (place / total if total else 0.0, total)


def _straightened(
    mesh: _Mesh, rows: list[list[int]], lefts: list[float], gap: float
) -> list[float]:
    """Make columns straight: least squares alone bends a long link a little in each row."""
    lefts = list(lefts)
    above, below = _pulls(mesh)
    columns = _columns(mesh)
    sides = _sides(mesh, rows, gap)
    for _ in range(_STRAIGHTEN_SWEEPS):
        for column in columns:
            for run, low, high in _runs(column, sides, lefts):
                outer = [
                    (other, place - shift, pull)
                    for block, shift in run.items()
                    for other, place, pull in above[block] + below[block]
                    if other not in run
                ]
                wanted, pull = _wanted(outer, lefts)
                if not pull:
                    wanted = sum(lefts[block] - shift for block, shift in run.items()) / len(run)
                for block, shift in run.items():
                    lefts[block] = min(max(wanted, low), high) + shift
    leftmost = min(lefts, default=0.0)
    # Whole numbers: what is straight but for a rounding error becomes straight.
    return [float(math.floor(left - leftmost + 0.5)) for left in lefts]


def _columns(mesh: _Mesh) -> list[dict[int, float]]:
    """Give chains of only children, each block with the distance of its left side from the first's.

    Every block is in one column, most of them alone; links that may bend do not count.
    """
    firm = [link for link in mesh.links if link.pull >= 1.0]
    outs, ins = [0] * len(mesh.blocks), [0] * len(mesh.blocks)
    for link in firm:
        outs[link.tail] += 1
        ins[link.head] += 1
    only = {link.tail: link for link in firm if outs[link.tail] == ins[link.head] == 1}
    inner = {link.head for link in only.values()}
    columns = []
    for first in range(len(mesh.blocks)):
        if first in inner:
            continue
        block, shift, column = first, 0.0, {first: 0.0}
        while block in only:
            link = only[block]
            block, shift = link.head, shift + link.tail_port - link.head_port
            column[block] = shift
        columns.append(column)
    return columns


# For each block: its neighbours in the row, if any, and the least distances of left sides to them.
_Sides: TypeAlias = list[tuple[tuple[int, float] | None, tuple[int, float] | None]]


def _sides(mesh: _Mesh, rows: list[list[int]], gap: float) -> _Sides:
    sides: _Sides = [(None, None) for _ in mesh.blocks]
    for row in rows:
        for one, other in pairwise(row):
            distance = _distance(mesh, one, other, gap)
            sides[one] = (sides[one][0], (other, distance))
            sides[other] = ((one, distance), None)
    return sides


def _runs(
    column: dict[int, float], sides: _Sides, lefts: list[float]
) -> Iterator[tuple[dict[int, float], float, float]]:
    """Cut a column where its neighbours leave no common place; give each run and its room."""
    run: dict[int, float] = {}
    low, high = -math.inf, math.inf
    for block, shift in column.items():
        before, after = sides[block]
        block_low = lefts[before[0]] + before[1] - shift if before else -math.inf
        block_high = lefts[after[0]] - after[1] - shift if after else math.inf
        if run and max(low, block_low) > min(high, block_high):
            yield run, low, high
            run, low, high = {}, -math.inf, math.inf
        run[block] = shift
        low, high = max(low, block_low), min(high, block_high)
    yield run, low, high


def _bands(
    mesh: _Mesh, rows: list[list[int]], links: Sequence[Link], lefts: list[float], gap: float
) -> list[Point]:
    """Give each row's top and bottom; the more happens between two rows, the more room there is."""
    room = [gap] * (len(rows) + 1)
    swings = [0.0] * (len(rows) + 1)
    for link in mesh.links:
        swing = lefts[link.tail] + link.tail_port - lefts[link.head] - link.head_port
        rank = mesh.blocks[link.head].rank
        swings[rank] = max(swings[rank], abs(swing))
    for link in links:
        tail, head = mesh.blocks[link.tail].rank, mesh.blocks[link.head].rank
        if head <= tail:
            room[tail + 1] += _TRACK_GAP
            room[head] += _TRACK_GAP
    bands: list[Point] = []
    for rank, row in enumerate(rows):
        above = room[rank] + min(swings[rank] * _SLANT, _SLANT_ROOM_MAX)
        top = bands[-1][1] + above if bands else 0.0
        height = max((mesh.blocks[block].height for block in row), default=0.0)
        bands.append((top, top + height))
    return bands


def _routes(
    mesh: _Mesh, links: Sequence[Link], lefts: list[float], bands: list[Point]
) -> tuple[Route, ...]:
    lanes_right = _upward_lanes(mesh, links, lefts)
    routes = []
    for n, link in enumerate(links):
        tail, head = mesh.blocks[link.tail], mesh.blocks[link.head]
        start, end = lefts[link.tail] + link.tail_port, lefts[link.head] + link.head_port
        points = [(start, bands[tail.rank][0] + tail.height), (start, bands[tail.rank][1])]
        for lane in mesh.lanes[n]:
            x = lefts[lane] + _LANE_WIDTH / 2
            points += [(x, y) for y in bands[mesh.blocks[lane].rank]]
        if n in lanes_right:
            x, track = lanes_right[n]
            low, high = bands[tail.rank][1] + track, bands[head.rank][0] - track
            points += [(start, low), (x, low), (x, high), (end, high)]
        points.append((end, bands[head.rank][0]))
        routes.append(tuple(dict.fromkeys(points)))
    return tuple(routes)


def _upward_lanes(
    mesh: _Mesh, links: Sequence[Link], lefts: list[float]
) -> dict[int, tuple[float, float]]:
    """Give the x of each upward link's lane and how far from the rows it turns, short ones inside."""
    rights = [0.0] * (1 + max((block.rank for block in mesh.blocks), default=0))
    for left, block in zip(lefts, mesh.blocks, strict=True):
        rights[block.rank] = max(rights[block.rank], left + block.width)
    spans = {
        n: slice(mesh.blocks[link.head].rank, mesh.blocks[link.tail].rank + 1)
        for n, link in enumerate(links)
        if mesh.blocks[link.head].rank <= mesh.blocks[link.tail].rank
    }
    lanes: dict[int, tuple[float, float]] = {}
    for n, span in sorted(spans.items(), key=lambda item: item[1].stop - item[1].start):
        x = max(rights[span]) + 2 * _TRACK_GAP
        lanes[n] = (x, (1 + len(lanes)) * _TRACK_GAP)
        rights[span] = [x] * len(rights[span])
    return lanes
