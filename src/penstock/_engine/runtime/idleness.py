"""Operators that advance their time when no records come.

Stream time stands still without records. While a task has none, it calls the operators that watch
for idleness, which may advance their time by how long that lasts. The host says how long: the
runtime has no clock, and a clock that is wrong for a moment, or a process that stood still, must
not look like a silence (`kafka/worker/silence.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from penstock._engine.topology.nodes.stream_nodes import Node

GoOn: TypeAlias = Callable[[int, int], bool]
"""`go_on(elapsed_ms, period)`: the task has had no record for `elapsed_ms`; `period` is the number
of this silence. Returns whether it forwarded or changed anything.
"""


class Watcher(NamedTuple):
    """An operator that advances its time after a while without records."""

    node: Node
    idle_after_ms: int
    go_on: GoOn


class Idleness:
    """For how long a task has had no record, and the operators that watch for that."""

    __slots__ = ("_watchers", "elapsed_ms", "period")

    def __init__(self) -> None:
        self.elapsed_ms = 0
        """Since the last record; before the first one, since the task started."""
        self.period = 0
        """Counts the silences: records end one and begin the next."""
        self._watchers: list[Watcher] = []

    @property
    def is_watched(self) -> bool:
        """Whether any operator watches."""
        return bool(self._watchers)

    def watch(self, node: Node, idle_after_ms: int, go_on: GoOn) -> None:
        """Call `go_on` whenever time passes while no record has come for `idle_after_ms`."""
        self._watchers.append(Watcher(node, idle_after_ms, go_on))

    def reset(self) -> None:
        """Begin to wait anew: records have come."""
        self.elapsed_ms = 0
        self.period += 1

    def advance(self, elapsed_ms: int) -> Iterator[Watcher]:
        """Add time without records; yield the watchers whose wait is over, parents first."""
        self.elapsed_ms += elapsed_ms
        # Nodes are wired from the sinks up, but parents must advance before their children.
        return (one for one in reversed(self._watchers) if self.elapsed_ms >= one.idle_after_ms)
