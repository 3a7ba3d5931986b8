"""A query that is started again and closed at the same time ends."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from penstock._engine.control.drivers import Driver, Drivers
from penstock._engine.control.members import Members
from penstock._engine.control.slot_plan import Capacity, SlotPlan
from penstock._engine.spark.streaming.query import ApplicationQuery

PATIENCE_SECONDS = 10.0


class FakeStreamingQuery:
    """Stands for Spark's handle."""

    def __init__(self) -> None:
        self.isActive = True

    def stop(self) -> None:
        self.isActive = False


def test_close_while_it_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApplicationQuery, "_pack", lambda self, blueprint: None)
    query: Any = ApplicationQuery.__new__(ApplicationQuery)
    nothing = SimpleNamespace(close=lambda: None, remove=lambda: None, end=lambda context: None)
    nothing.announce = lambda driver_id, announcement: None
    query.drivers = Drivers(Driver("a"))
    query.local_asker = query._forwarding = nothing
    query._lock, query._starting = threading.Lock(), threading.Lock()
    query._closing = threading.Lock()
    query._closed, query._stop, query._members = False, True, Members()
    query._slots = SlotPlan(1, lambda: Capacity(1))
    query._query, query._checkpoint = FakeStreamingQuery(), nothing
    query._query.stop()
    query._control = query._notices = query._pool = query._questions = query.asker = nothing
    query._owned, query._spark = False, SimpleNamespace(sparkContext=None)
    starting, started = threading.Event(), FakeStreamingQuery()

    def begin(self: Any, blueprint: Any, program: Any) -> None:
        starting.set()
        time.sleep(0.2)  # Spark takes a while
        self._query = started

    monkeypatch.setattr(ApplicationQuery, "_begin", begin)
    going_on = threading.Thread(target=query.resume, args=(None,))
    going_on.start()
    assert starting.wait(PATIENCE_SECONDS)
    query.close(5.0)
    going_on.join(PATIENCE_SECONDS)
    assert not started.isActive
