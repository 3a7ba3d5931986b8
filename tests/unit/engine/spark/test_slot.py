"""What a worker process keeps of an engine that has ended; turns are tested on Spark."""

from __future__ import annotations

import gc
import weakref

from penstock._engine.spark.slot import _free_clients


class InACircle:
    """As a worker and its group consumer, which calls it back."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_set_aside_between_turns_is_freed_when_an_engine_ends() -> None:
    circle = InACircle()
    held = weakref.ref(circle)
    gc.freeze()
    del circle
    _free_clients()
    assert held() is None
