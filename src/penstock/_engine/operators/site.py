"""The place an operator is built into: what is below it, and whom it tells when it fails.

An operator is a function `process(key, value, timestamp, headers)` that calls the next one
directly: a chain of verbs is a chain of plain calls, no record object, no context switch. Each
operator wraps its whole body in `try`: an exception belongs to the innermost node that raised it,
and if its handler resumes, the call returns normally, so the parent and the siblings go on. A `try`
that nothing raises in costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock._engine.state.layers.table import TableState
from penstock.processor import ProcessorContext
from penstock.record import HeaderPairs

Process: TypeAlias = Callable[[Any, Any, int, HeaderPairs], None]
Failed: TypeAlias = Callable[[Exception, Any, Any, int, HeaderPairs], None]


@dataclass(frozen=True, slots=True)
class Site:
    """Where a processor node stands in a task."""

    name: str
    forward: Process
    """Hands a record to all children, one after the other, each to its end."""
    forward_at_flush: Process
    """Hands over what a cache has held back."""
    children: dict[str, Process]
    failed: Failed
    """Asks the handler; returns if it resumes, raises if it fails."""
    enter: Callable[[int], None]
    """Tells the task the time of the record that a user's processor is about to take."""
    context: ProcessorContext[Any, Any]
    """What a user's processor is handed."""
    table: Callable[[str], TableState]
    """Gives the store of a table or an aggregate by its name."""
    drop: Callable[[str], None]
    """Counts the record in hand as dropped, for a reason."""
    on_init: Callable[[Callable[[], object]], None]
    """Takes a function to call when the task starts; parents start before children."""
    on_close: Callable[[Callable[[], object]], None]
    """Takes a function to call when the task closes."""
