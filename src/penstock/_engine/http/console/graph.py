"""The graph of a program as a document: boxes, paths, names, code lines, stores and windows.

The coordinates are those of `Topology.to_svg`, so the page lays nothing out itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.topology.nodes.join_nodes import SelfJoin, StreamJoinSide, StreamTableJoin
from penstock._engine.topology.nodes.stream_nodes import Operation, ProcessorNode
from penstock._engine.topology.nodes.window_nodes import SessionAggregate, WindowedOperation
from penstock._engine.topology.picture.assembly import Box, pictured
from penstock._engine.topology.picture.labels import TextSizes, in_words, label_of
from penstock._engine.topology.picture.scene import Kind, compose
from penstock._engine.topology.picture.svg import path_of
from penstock._engine.topology.topology import Topology
from penstock.stores import StoreBuilder

# The page shows the graph at nine tenths of its size or more: no text is then below eleven pixels.
_TEXT_SIZES = TextSizes(headline_px=13.5, caption_px=12.25)

NODE_KINDS = frozenset({Kind.SOURCE, Kind.PROCESSOR, Kind.SINK, Kind.DYNAMIC_SINK})


def graph_document(topology: Topology, tasks: Iterable[TaskPlan]) -> dict[str, Any]:
    """Return all that the page needs to draw a program."""
    scene = compose(topology.describe())
    labels = [label_of(shape, _TEXT_SIZES) for shape in scene.shapes]
    picture = pictured(scene, labels)
    panel_of = {i: n for n, panel in enumerate(scene.panels) for i in panel.members}
    shapes = [
        {
            "kind": str(shape.kind),
            "name": shape.text,
            "headline": label.headline,
            "caption": label.caption,
            "panel": panel_of.get(i),
            "box": _corners(picture.boxes[i]),
            **_facts(topology, shape.kind, shape.text),
        }
        for i, (shape, label) in enumerate(zip(scene.shapes, labels, strict=True))
    ]
    return {
        "width": picture.width,
        "height": picture.height,
        "panels": [
            {"title": panel.title, "global": panel.is_global, "box": _corners(picture.panels[n])}
            for n, panel in enumerate(scene.panels)
        ],
        "shapes": shapes,
        "edges": [
            {
                "tail": arrow.tail,
                "head": arrow.head,
                "path": path_of(picture.routes[n]),
                "middle": _middle(picture.routes[n]),
                "store": scene.shapes[arrow.head].kind is Kind.STORE,
            }
            for n, arrow in enumerate(scene.arrows)
        ],
        "windows": windows_of(topology, tasks),
    }


def windows_of(topology: Topology, tasks: Iterable[TaskPlan]) -> list[dict[str, Any]]:
    """Return what waits for time: windowed aggregations, joins of streams, and joins with a table
    that have a grace; of each its times, its store and its tasks.
    """
    found = []
    by_node = {node.name: plan.id for plan in _plans(tasks) for node in plan.nodes}
    for name, node in topology.nodes.items():
        operation = node.operation if isinstance(node, ProcessorNode) else None
        facts = None if name not in by_node else _time_facts(operation)
        if facts is not None:
            of_node = {"node": name, "location": node.location, "subtopology": by_node[name]}
            found.append({"title": _title(name, facts["store"]), **of_node, **facts})
    return found


def _plans(tasks: Iterable[TaskPlan]) -> Iterable[Any]:
    return {task.subtopology.id: task.subtopology for task in tasks}.values()


def _title(node: str, store: str) -> str:
    """Return the name that the user has given, to the store or else to the node; words if none."""
    if in_words(Kind.STORE, store) is None:
        return store
    return in_words(Kind.PROCESSOR, node) or node


def _time_facts(operation: Operation | None) -> dict[str, Any] | None:
    """Return what is known of an operation that waits for time, None of others."""
    if isinstance(operation, WindowedOperation):
        facts = _window_facts(operation)
        return {"store": operation.store.name, "on_close": operation.emits_on_close, **facts}
    # The two sides of a join have the same times: it is shown once.
    if isinstance(operation, SelfJoin) or (
        isinstance(operation, StreamJoinSide) and operation.is_left
    ):
        before, after, grace = operation.before_ms, operation.after_ms, operation.join_grace_ms
        times = {"before": before, "after": after, "grace": grace}
        reach = max(before, after) + grace
        return {"kind": "join", "store": operation.store.name, "open_ms": reach, **times}
    if isinstance(operation, StreamTableJoin) and operation.buffer is not None:
        grace = operation.join_grace_ms
        named = operation.buffer.name
        return {"kind": "table join", "store": named, "open_ms": grace, "grace": grace}
    return None


def _window_facts(operation: WindowedOperation) -> dict[str, Any]:
    windows: Any = operation.windows  # type: ignore[attr-defined]
    if isinstance(operation, SessionAggregate):
        gap, grace = windows.gap_ms, windows.grace_ms
        return {"kind": "session", "gap": gap, "grace": grace, "open_ms": gap + grace}
    advance = getattr(windows, "advance_ms", None)
    size = getattr(windows, "size_ms", getattr(windows, "difference_ms", None))
    kind = "sliding" if advance is None else "hopping" if advance != size else "tumbling"
    if size is None:
        kind = "unlimited"
    grace = getattr(windows, "grace_ms", 0)
    facts = {"kind": kind, "size": size, "advance": advance, "grace": grace}
    return {**facts, "open_ms": grace} if kind == "sliding" else facts


def _facts(topology: Topology, kind: Kind, name: str) -> dict[str, Any]:
    if kind is Kind.STORE:
        builder: StoreBuilder | None = topology.stores.get(name)
        if name in topology.global_stores:
            builder = topology.global_stores[name].store
        return {"store": {} if builder is None else _store_facts(builder)}
    node = topology.nodes.get(name) if kind in NODE_KINDS else None
    if node is None:
        return {}
    operation = node.operation if isinstance(node, ProcessorNode) else None
    return {
        "location": node.location,
        "operation": None if operation is None else type(operation).__name__,
        "stores": topology.stores_of(name),
    }


def _store_facts(builder: StoreBuilder) -> dict[str, Any]:
    engine = builder.engine if isinstance(builder.engine, str) else type(builder.engine).__name__
    return {"kind": str(builder.kind), "engine": engine, "logged": builder.logged}


def _corners(box: Box) -> list[float]:
    return [box.left, box.top, box.width, box.height]


def _middle(route: tuple[tuple[float, float], ...]) -> list[float]:
    """Return the middle of the longest piece of a route, where a label fits best."""
    pieces = list(pairwise(route))
    if not pieces:
        return list(route[0])
    (x, y), (u, v) = max(
        pieces, key=lambda ends: abs(ends[0][0] - ends[1][0]) + abs(ends[0][1] - ends[1][1])
    )
    return [(x + u) / 2, (y + v) / 2]
