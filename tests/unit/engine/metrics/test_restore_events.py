"""Each event is one call of the listener, with Java's arguments."""

from __future__ import annotations

from typing import Any

from penstock import StandbyUpdateListener, StateRestoreListener, SuspendReason
from penstock._engine.metrics.restore_events import RestoreEvent, tell, tell_standby


class Noting(StateRestoreListener, StandbyUpdateListener):
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


def test_events_of_copies_become_calls_with_the_offsets_of_last_records() -> None:
    noting = Noting()
    left = RestoreEvent("left", "s", "t", 2, offset=7, end=9, task="0_2")
    batch = RestoreEvent("batch", "s", "t", 2, offset=7, end=9, count=4, task="0_2")
    tell_standby(noting, RestoreEvent("kept", "s", "t", 2, offset=3, task="0_2"), promoted=False)
    tell_standby(noting, batch, promoted=False)
    tell_standby(noting, left, promoted=False)
    tell_standby(noting, left, promoted=True)
    assert noting.calls == [
        ("on_update_start", ("t", 2), "s", 3),
        ("on_batch_loaded", ("t", 2), "s", "0_2", 6, 4, 8),
        ("on_update_suspended", ("t", 2), "s", 6, 8, SuspendReason.MIGRATED),
        ("on_update_suspended", ("t", 2), "s", 6, 8, SuspendReason.PROMOTED),
    ]


def test_a_listener_need_not_hear_everything() -> None:
    tell(StateRestoreListener(), RestoreEvent("end", "s", "t", 0, count=1))
    tell_standby(StandbyUpdateListener(), RestoreEvent("kept", "s", "t", 0), promoted=False)
