"""Operators that advance their time when no records come.

Stream time stands still without records. While a task has none, it calls the operators that watch
for idleness, which may advance their time by the wall clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from penstock._engine.runtime.position import UNKNOWN
from penstock._engine.topology.nodes.stream_nodes import Node

GoOn: TypeAlias = Callable[[int, int], bool]
"""`go_on(elapsed_ms, idle_since_ms)`: the task's last record came at `idle_since_ms` of the wall
clock, `elapsed_ms` ago. Returns whether it forwarded or changed anything.
"""


class Watcher(NamedTuple):
    """An operator that advances its time after a while without records."""

    node: Node
    idle_after_ms: int
    go_on: GoOn


class Idleness:
    """When a task had its last record, and the operators that watch for idleness."""

    __slots__ = ("_watchers", "last_record_ms")

    def __init__(self) -> None:
        self.last_record_ms = UNKNOWN
        """Of the wall clock; before the first record, when the task started."""
        self._watchers: list[Watcher] = []

    def watch(self, node: Node, idle_after_ms: int, go_on: GoOn) -> None:
        """Call `go_on` at each look at the clock while no record has come for `idle_after_ms`."""
        self._watchers.append(Watcher(node, idle_after_ms, go_on))

    def due(self, now_ms: int) -> Iterator[Watcher]:
        """Yield the watchers whose wait is over, parents first."""
        if not self._watchers:
            return iter(())
        elapsed_ms = now_ms - self.last_record_ms
        # Nodes are wired from the sinks up, but parents must advance before their children.
        return (one for one in reversed(self._watchers) if elapsed_ms >= one.idle_after_ms)
