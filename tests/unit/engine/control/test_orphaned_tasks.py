"""A worker joins the group again if tasks stay without a member."""

from __future__ import annotations

from penstock._engine.control.orphaned_tasks import OrphanedTasks
from penstock._engine.control.protocol.messages import Report

BUSY = Report("a", "running", tasks={"0_0": "running"})
IDLE = Report("b", "running")


def test_the_worker_with_the_fewest_tasks_joins_again_once() -> None:
    orphans = OrphanedTasks()
    assert not orphans.look({"0_1"}, [BUSY, IDLE], 1.0)
    assert not orphans.look({"0_1"}, [BUSY, IDLE], 5.0)
    assert not orphans.take(IDLE.worker)
    assert orphans.look({"0_1"}, [BUSY, IDLE], 6.0)
    assert not orphans.take(BUSY.worker)
    assert orphans.take(IDLE.worker)
    assert not orphans.take(IDLE.worker)
    # It may have been in vain.
    assert not orphans.look({"0_1"}, [BUSY, IDLE], 10.0)
    assert orphans.look({"0_1"}, [BUSY, IDLE], 11.0)


def test_what_changes_is_being_moved() -> None:
    orphans = OrphanedTasks()
    assert not orphans.look({"0_1"}, [BUSY], 1.0)
    assert not orphans.look({"0_2"}, [BUSY], 7.0)
    assert not orphans.look((), [BUSY], 20.0)
    assert not orphans.look({"0_2"}, [BUSY], 21.0)
    assert not orphans.look({"0_2"}, [BUSY], 25.0)
