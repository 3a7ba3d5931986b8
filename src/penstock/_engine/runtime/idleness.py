"""Operators that do not want to wait for records for ever.

Stream time stands still where no record comes. An operator that watches is told, as long as its
task has no records, how long that has been; it may go on as if time had passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from penstock._engine.runtime.position import UNKNOWN
from penstock._engine.topology.nodes.stream_nodes import Node

GoOn: TypeAlias = Callable[[int, int], bool]
"""`go_on(elapsed_ms, idle_since_ms)`: the task's last record came at `idle_since_ms` of the wall
clock, `elapsed_ms` ago. Tells whether anything was forwarded or changed.
"""


class Watcher(NamedTuple):
    """An operator that goes on after a while without records."""

    node: Node
    idle_after_ms: int
    go_on: GoOn


class Idleness:
    """When a task had its last record, and who wants to know."""

    __slots__ = ("_watchers", "last_record_ms")

    def __init__(self) -> None:
        self.last_record_ms = UNKNOWN
        """Of the wall clock; before the first record, when the task started."""
        self._watchers: list[Watcher] = []

    def watch(self, node: Node, idle_after_ms: int, go_on: GoOn) -> None:
        """Call `go_on` again and again while no record has come for `idle_after_ms`."""
        self._watchers.append(Watcher(node, idle_after_ms, go_on))

    def due(self, now_ms: int) -> Iterator[Watcher]:
        """Give those who have waited long enough, in the order of their nodes."""
        if not self._watchers:
            return iter(())
        elapsed_ms = now_ms - self.last_record_ms
        # Nodes are wired from the sinks up, but what is above must go on before what is below.
        return (one for one in reversed(self._watchers) if elapsed_ms >= one.idle_after_ms)
