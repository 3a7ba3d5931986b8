"""Who is told that no records come, and when."""

from __future__ import annotations

from penstock._engine.runtime.idleness import Idleness
from penstock._engine.topology.nodes.stream_nodes import PassThrough, ProcessorNode


def node(name: str) -> ProcessorNode:
    return ProcessorNode(name, PassThrough(), (), None)


def test_whoever_has_waited_long_enough_is_due_again_and_again() -> None:
    idleness = Idleness()
    idleness.last_record_ms = 1000
    idleness.watch(node("below"), 50, lambda elapsed, since: False)
    idleness.watch(node("above"), 100, lambda elapsed, since: False)
    assert [watcher.node.name for watcher in idleness.due(1049)] == []
    assert [watcher.node.name for watcher in idleness.due(1050)] == ["below"]
    assert [watcher.node.name for watcher in idleness.due(1100)] == ["above", "below"]
    assert [watcher.node.name for watcher in idleness.due(1101)] == ["above", "below"]
    idleness.last_record_ms = 1101
    assert [watcher.node.name for watcher in idleness.due(1110)] == []


def test_nobody_watches_nobody_is_due() -> None:
    assert list(Idleness().due(10**15)) == []


def test_a_clock_that_is_set_back_begins_the_wait_anew() -> None:
    idle = Idleness()
    idle.last_record_ms = 3_600_000
    idle.watch(node("one"), 10, lambda elapsed, since: False)
    assert list(idle.due(5)) == []
    assert len(list(idle.due(15))) == 1
