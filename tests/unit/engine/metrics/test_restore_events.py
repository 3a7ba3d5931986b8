"""Each event is one call of the listener, with Java's arguments."""

from __future__ import annotations

from typing import Any

from penstock import StateRestoreListener
from penstock._engine.metrics.restore_events import RestoreEvent, tell


class Noting(StateRestoreListener):
    """Notes every call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_"):
            return lambda *told: self.calls.append((name, *told))
        return super().__getattribute__(name)


def test_events_become_calls() -> None:
    noting = Noting()
    tell(noting, RestoreEvent("start", "s", "t", 2, offset=3, end=9))
    tell(noting, RestoreEvent("batch", "s", "t", 2, offset=7, count=4))
    tell(noting, RestoreEvent("end", "s", "t", 2, count=6))
    tell(noting, RestoreEvent("suspended", "s", "t", 2, count=5))
    assert noting.calls == [
        ("on_restore_start", ("t", 2), "s", 3, 9),
        ("on_batch_restored", ("t", 2), "s", 7, 4),
        ("on_restore_end", ("t", 2), "s", 6),
        ("on_restore_suspended", ("t", 2), "s", 5),
    ]


def test_a_listener_need_not_hear_everything() -> None:
    tell(StateRestoreListener(), RestoreEvent("end", "s", "t", 0, count=1))
