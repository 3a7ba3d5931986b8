"""The graph of a program as a document: boxes, paths, names, code lines, stores and windows.

The coordinates are those of `Topology.to_svg`, so the page lays nothing out itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode
from penstock._engine.topology.nodes.window_nodes import SessionAggregate, WindowedOperation
from penstock._engine.topology.picture.assembly import Box, pictured
from penstock._engine.topology.picture.labels import label_of
from penstock._engine.topology.picture.scene import Kind, compose
from penstock._engine.topology.picture.svg import path_of
from penstock._engine.topology.topology import Topology
from penstock.stores import StoreBuilder

NODE_KINDS = frozenset({Kind.SOURCE, Kind.PROCESSOR, Kind.SINK, Kind.DYNAMIC_SINK})


def graph_document(topology: Topology, tasks: Iterable[TaskPlan]) -> dict[str, Any]:
    """Return all that the page needs to draw a program."""
    scene = compose(topology.describe())
    labels = [label_of(shape) for shape in scene.shapes]
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
    """Return the windowed aggregations: their windows, their grace, their tasks."""
    found = []
    by_node = {node.name: plan.id for plan in _plans(tasks) for node in plan.nodes}
    for name, node in topology.nodes.items():
        operation = node.operation if isinstance(node, ProcessorNode) else None
        if isinstance(operation, WindowedOperation) and name in by_node:
            found.append(
                {
                    "node": name,
                    "store": operation.store.name,
                    "subtopology": by_node[name],
                    "on_close": operation.emits_on_close,
                    **_window_facts(operation),
                }
            )
    return found


def _plans(tasks: Iterable[TaskPlan]) -> Iterable[Any]:
    return {task.subtopology.id: task.subtopology for task in tasks}.values()


def _window_facts(operation: WindowedOperation) -> dict[str, Any]:
    windows: Any = operation.windows  # type: ignore[attr-defined]
    if isinstance(operation, SessionAggregate):
        return {"kind": "session", "gap": windows.gap_ms, "grace": windows.grace_ms}
    advance = getattr(windows, "advance_ms", None)
    size = getattr(windows, "size_ms", getattr(windows, "difference_ms", None))
    kind = "sliding" if advance is None else "hopping" if advance != size else "tumbling"
    if size is None:
        kind = "unlimited"
    return {
        "kind": kind,
        "size": size,
        "advance": advance,
        "grace": getattr(windows, "grace_ms", 0),
    }


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
