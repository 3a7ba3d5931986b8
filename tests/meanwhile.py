"""What another thread may do meanwhile, done where it would be let in, so that no test waits for
it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def names_of_many() -> list[str]:
    """Return more names than Python keeps tuples ready, which are made without a collection."""
    return [f"name_{number}" for number in range(5000)]


@contextmanager
def at_collections(change: Callable[[], None]) -> Iterator[None]:
    """Call `change` when the garbage collector runs, which it does at nearly each object that is
    made: py4j's callbacks in it wait for the JVM, and other threads run.
    """

    def called(phase: str, _info: dict[str, int]) -> None:
        if phase == "start":
            change()

    before = gc.get_threshold()
    gc.callbacks.append(called)
    gc.set_threshold(1, 1_000_000, 1_000_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(called)


@contextmanager
def at_instructions(change: Callable[[], None]) -> Iterator[None]:
    """Call `change` between the instructions of functions that are called in the block: Python
    lets other threads run there.
    """

    def traced(frame: FrameType, event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode":
            change()
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        yield
    finally:
        sys.settrace(before)
