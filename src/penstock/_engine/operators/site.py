"""What an operator is built with: its children, its stores, its error handler.

An operator is a function `process(key, value, timestamp, headers)` that calls the next one
directly: a chain of verbs is a chain of plain calls, no record object, no context switch. Each
operator wraps its whole body in `try`: an exception belongs to the innermost node that raised it,
and if its handler resumes, the call returns normally, so the parent and the siblings go on. A `try`
costs nothing unless it raises.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from penstock._engine.metrics.counters import DropReason
from penstock._engine.state.cache.entries import RecordInHand
from penstock._engine.state.segments.versioned import VersionedState
from penstock._engine.state.views.join_buffer import JoinBuffer
from penstock._engine.state.views.outer_join import OuterJoinState
from penstock._engine.state.views.session import SessionState
from penstock._engine.state.views.suppression import SuppressionState
from penstock._engine.state.views.table import TableState
from penstock._engine.state.views.window import WindowState
from penstock.processor import ProcessorContext
from penstock.record import HeaderPairs
from penstock.settings import StreamsConfig

T = TypeVar("T")

Process: TypeAlias = Callable[[Any, Any, int, HeaderPairs], None]
Failed: TypeAlias = Callable[[Exception, Any, Any, int, HeaderPairs], None]


class Shared(Protocol):
    """Returns an object that nodes of a task share."""

    def __call__(self, name: str, make: Callable[[], T]) -> T: ...


class Drop(Protocol):
    """Counts the record in hand as dropped, by the kind of the reason, and logs the reason."""

    def __call__(self, reason: str, kind: DropReason = "missing-key-or-value") -> None: ...


@dataclass(frozen=True, slots=True)
class Site:
    """The surroundings of a processor node in its task."""

    name: str
    forward: Process
    """Passes a record to all children, one after the other, each to its end."""
    forward_at_flush: Process
    """`forward` of records that a cache flushes."""
    children: dict[str, Process]
    failed: Failed
    """Asks the processing handler; returns if it resumes, raises if it fails."""
    enter: Callable[[int, HeaderPairs], None]
    """Sets timestamp and headers of the record that a user's processor is about to take."""
    context: ProcessorContext[Any, Any]
    """The context of a user's processor."""
    table: Callable[[str], TableState]
    """Returns the store of a table or an aggregate by its name."""
    window: Callable[[str], WindowState]
    """Returns the store of windowed aggregates, or of a side of a stream-stream join."""
    session: Callable[[str], SessionState]
    versioned: Callable[[str], VersionedState]
    outer_join: Callable[[str], OuterJoinState]
    """Returns the store of the unmatched records of a left or outer stream-stream join."""
    suppression: Callable[[str], SuppressionState]
    """Returns the buffer of a suppress by its name."""
    join_buffer: Callable[[str], JoinBuffer]
    global_table: Callable[[str], TableState]
    """Returns the store of a global table by its name, for reading only."""
    shared: Shared
    """`shared(name, make)` returns the object of that name that nodes of a task share; the first
    call makes it.
    """
    position: RecordInHand
    """The record in hand, and the times of the task."""
    config: StreamsConfig
    drop: Drop
    count_dropped: Callable[[], None]
    """Counts the record in hand as dropped, without a log message."""
    notes: MutableMapping[str, int]
    """Numbers that operators keep beside the committed offsets, one for each store."""
    watch_idle: Callable[[int, Callable[[int, int], bool]], None]
    """`watch_idle(idle_after_ms, go_on)`: while the task has had no record for that long, call
    `go_on(elapsed_ms, period)` now and then: how long that is, and the number of this silence. It
    returns whether it has forwarded or changed anything.
    """
    on_init: Callable[[Callable[[], object]], None]
    """Takes a function to call when the task starts; parents start before children."""
    on_close: Callable[[Callable[[], object]], None]
    """Takes a function to call when the task closes."""
