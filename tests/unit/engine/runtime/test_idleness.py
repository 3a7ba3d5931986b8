"""Who is told that no records come, and when."""

from __future__ import annotations

from penstock._engine.runtime.idleness import Idleness
from penstock._engine.topology.nodes.stream_nodes import PassThrough, ProcessorNode


def node(name: str) -> ProcessorNode:
    return ProcessorNode(name, PassThrough(), (), None)


def due(idleness: Idleness, elapsed_ms: int) -> list[str]:
    return [watcher.node.name for watcher in idleness.advance(elapsed_ms)]


def test_whoever_has_waited_long_enough_is_due_again_and_again() -> None:
    idleness = Idleness()
    idleness.watch(node("below"), 50, lambda elapsed, period: False)
    idleness.watch(node("above"), 100, lambda elapsed, period: False)
    assert due(idleness, 49) == []
    assert due(idleness, 1) == ["below"]
    assert due(idleness, 50) == ["above", "below"]
    assert due(idleness, 1) == ["above", "below"]
    assert (idleness.elapsed_ms, idleness.period) == (101, 0)
    idleness.reset()
    assert due(idleness, 9) == []
    assert (idleness.elapsed_ms, idleness.period) == (9, 1)


def test_nobody_watches_nobody_is_due() -> None:
    idleness = Idleness()
    assert due(idleness, 10**15) == []
    assert not idleness.is_watched
