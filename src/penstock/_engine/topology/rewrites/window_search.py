"""Finds the windowed aggregations above a table: their grace, and how they close windows when idle.

Java: GraphGraceSearchUtil.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from penstock._engine.topology.graph import Graph, ProcessorDrawing
from penstock._engine.topology.nodes.window_nodes import WindowedOperation
from penstock.errors import TopologyError


def find_window_grace(graph: Graph, step: int) -> int:
    """Return the longest grace of the windows above; every path upwards must have some."""
    return max(grace_ms for _, grace_ms in _windowed_steps(graph, step, ()))


def go_on_when_idle(graph: Graph, step: int, idle_after_ms: int) -> None:
    """Make the windowed aggregations above advance their time while a task is idle."""
    for above, _ in _windowed_steps(graph, step, ()):
        drawing = graph.steps[above].drawing
        assert isinstance(drawing, ProcessorDrawing)
        operation = drawing.operation
        if isinstance(operation, WindowedOperation):
            given = operation.idle_after_ms
            sooner = idle_after_ms if given is None else min(given, idle_after_ms)
            operation = replace(operation, idle_after_ms=sooner)
            graph.redraw(above, replace(drawing, operation=operation))


def _windowed_steps(graph: Graph, step: int, below: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the nearest steps above with windows, each with its grace."""
    drawing = graph.steps[step].drawing
    grace_ms = drawing.operation.grace_ms() if isinstance(drawing, ProcessorDrawing) else None
    if grace_ms is not None:
        yield step, grace_ms
        return
    way = (drawing.name, *below)
    if not graph.steps[step].parents:
        msg = (
            "suppress(Suppressed.until_window_closes()) must stand below a windowed aggregation; "
            f"got {' -> '.join(way)}; use windowed_by(...) before it, or "
            "Suppressed.until_time_limit(...)"
        )
        raise TopologyError(msg)
    for parent in graph.steps[step].parents:
        yield from _windowed_steps(graph, parent, way)
