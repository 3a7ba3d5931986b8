"""The order in which a worker does things, without a broker: its tasks are real, Kafka is not."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from penstock._clock import monotonic
from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    BrokerSilent,
    CommitPostponed,
    TaskMigrated,
)
from penstock._engine.kafka.worker import freed_memory, processing
from penstock._engine.kafka.worker import worker as worker_module
from penstock._engine.kafka.worker.worker import Worker
from penstock._engine.planner.identity import Identity
from penstock.errors import StreamsError
from tests.unit.engine.kafka.worker.stage import (
    CHANGELOG,
    COMMIT_MS,
    LONG,
    Stage,
)

HALF_A_SECOND_MS = 500
HOUR_MS = 3_600_000
PATIENCE_SECONDS = 60.0


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage with two records in the first partition, and one in the second."""
    made = Stage(tmp_path)
    made.kafka.write("in", 0, ("a", "x"), ("a", "y"))
    made.kafka.write("in", 1, ("b", "z"))
    yield made
    if made.is_open:
        made.worker.abandon()
    made.host.close()


def test_a_task_is_restored_before_it_reads_and_commits_after_it_has_processed(
    stage: Stage,
) -> None:
    stage.run(0)
    stage.step_and_commit()
    assert stage.kafka.take_events() == [
        "committed offset of in-0",
        f"end of {CHANGELOG}-0",
        f"restore {CHANGELOG}-0 from None to 0",
        "read in-0 from 0",
        f"send to {CHANGELOG}-0, out-0",
        "commit in-0@2",
        "2 results",
    ]
    assert [key for key, _ in stage.kafka.values("out")] == [b"a", b"a"]


def test_the_offsets_of_all_tasks_are_asked_for_before_any_end(stage: Stage) -> None:
    """With one request each, however many tasks there are."""
    stage.run(0, 1)
    assert stage.kafka.take_events()[:4] == [
        "committed offset of in-0",
        "committed offset of in-1",
        f"end of {CHANGELOG}-0",
        f"end of {CHANGELOG}-1",
    ]


def test_the_group_is_looked_at_when_a_worker_is_new_and_when_it_gets_tasks(
    stage: Stage,
) -> None:
    """Each change of a large group calls all members, and most of them get nothing."""
    stage.blueprint = replace(stage.blueprint, identity=Identity("01234567", "89abcdef"))
    looks = []
    for tasks in ((), (0,), (), (), (1,)):
        if stage.is_open:
            stage.kafka.membership.assign(*tasks)
            stage.worker.step()
        else:
            stage.run(*tasks)
        looks.append(stage.kafka.take_events().count("look at the group"))
    assert looks == [1, 1, 0, 0, 1]


def test_a_task_does_not_read_before_its_store_is_restored(stage: Stage) -> None:
    stage.run(0)
    stage.step_and_commit()
    stage.kafka.membership.lose(0)
    stage.worker.step()
    stage.kafka.take_events()
    stage.kafka.write("in", 0, ("a", "again"))
    stage.kafka.membership.assign(0)
    stage.worker.step()
    stage.step_and_commit()
    assert stage.kafka.take_events()[2:4] == [
        f"restore {CHANGELOG}-0 from None to 2",
        "read in-0 from 2",
    ]
    assert stage.kafka.values("out")[-1] == (b"a", LONG.serialize("out", 3))


def test_without_transactions_results_are_visible_when_they_are_sent(tmp_path: Path) -> None:
    stage = Stage(tmp_path, **{"processing.guarantee": "at_least_once"})
    stage.kafka.write("in", 0, ("a", "x"))
    stage.run(0)
    assert stage.kafka.take_events()[-2:] == [f"send to {CHANGELOG}-0, out-0", "1 results"]
    stage.worker.abandon()
    stage.host.close()


def test_nothing_is_committed_before_the_interval_is_over(stage: Stage) -> None:
    stage.run(0)
    stage.clock.advance(COMMIT_MS - 1)
    stage.worker.step()
    assert stage.kafka.committed == {}


def test_an_idle_worker_that_gives_its_tasks_away_purges_nothing(tmp_path: Path) -> None:
    """Its commit has offsets of the task topic only, which the broker refuses to purge."""
    stage = Stage(tmp_path, **{"repartition.purge.interval.ms": 1000})
    stage.run(0, 1)
    stage.clock.advance(2000)
    stage.kafka.take_events()
    stage.kafka.membership.revoke(0, 1)
    stage.worker.step()
    events = stage.kafka.take_events()
    assert "commit app-penstock-tasks-0@0, app-penstock-tasks-1@0" in events
    assert not [event for event in events if event.startswith("purge")]
    stage.worker.abandon()
    stage.host.close()


def test_a_checkpoint_is_asked_for_before_the_commit_that_proves_it(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.take_events()
    stage.kafka.membership.revoke(0)
    stage.worker.step()
    assert stage.kafka.take_events() == [
        f"end of {CHANGELOG}-0",
        "commit in-0@2",
        "2 results",
        "stop reading in-0",
    ]
    stage.kafka.membership.assign(0)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, 2]


@pytest.mark.parametrize("refusal", [TaskMigrated("fenced"), CommitPostponed("not now")])
def test_a_commit_that_fails_leaves_no_checkpoint(stage: Stage, refusal: Exception) -> None:
    stage.run(0)
    stage.kafka.refusals.append(refusal)
    stage.kafka.membership.revoke(0)
    stage.worker.step()
    assert stage.worker.figures.tasks() == {}
    assert stage.kafka.committed == {}
    stage.kafka.open_transaction.clear()
    stage.kafka.membership.assign(0)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, None]
    stage.step_and_commit()
    assert [value for _, value in stage.kafka.values("out")] == [
        LONG.serialize("out", 1),
        LONG.serialize("out", 2),
    ]


def test_a_revocation_commits_all_and_closes_only_what_is_revoked(stage: Stage) -> None:
    stage.run(0, 1)
    stage.kafka.membership.revoke(1)
    stage.worker.step()
    assert stage.kafka.committed.keys() == {("in", 0), ("in", 1)}
    assert stage.worker.figures.tasks() == {"0_0": "running"}
    stopped = [event for event in stage.kafka.take_events() if event.startswith("stop")]
    assert stopped == ["stop reading in-1"]


def test_memory_is_given_back_when_a_task_was_closed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.unfreeze()  # an earlier test may have left the process frozen
    trims: list[int] = []
    monkeypatch.setattr(freed_memory, "c_library_trim", lambda: trims.append)
    stage.run(0, 1)
    stage.step_and_commit()
    assert trims == []

    stage.kafka.membership.revoke(1)
    stage.worker.step()
    stage.worker.step()

    assert trims == [0]


def test_a_task_that_was_not_opened_is_revoked_without_a_commit(stage: Stage) -> None:
    stage.open(0)
    stage.kafka.membership.revoke(0)
    stage.kafka.membership.poll()
    stage.worker.step()
    assert stage.kafka.take_events() == []


def test_lost_tasks_are_dropped_without_a_commit(stage: Stage) -> None:
    stage.run(0, 1)
    stage.kafka.take_events()
    stage.kafka.membership.lose(0, 1)
    stage.worker.step()
    assert stage.kafka.take_events() == ["abort", "stop reading in-0", "stop reading in-1"]
    assert stage.kafka.committed == {}


def test_a_migration_drops_all_tasks_and_they_begin_at_the_committed_offsets(
    stage: Stage,
) -> None:
    stage.run(0, 1)
    stage.kafka.refusals.append(TaskMigrated("fenced"))
    stage.kafka.take_events()
    stage.step_and_commit()
    assert stage.kafka.take_events() == [
        "refuse commit: fenced",
        "abort",
        "stop reading in-0",
        "stop reading in-1",
    ]
    assert stage.kafka.committers == 2
    stage.worker.step()
    stage.step_and_commit()
    assert [value for _, value in stage.kafka.values("out")] == [
        LONG.serialize("out", 1),
        LONG.serialize("out", 2),
        LONG.serialize("out", 1),
    ]
    results = [event for event in stage.kafka.take_events() if event.endswith("results")]
    assert results == ["2 results", "1 results"]


def test_a_postponed_commit_keeps_the_work_and_is_tried_again_soon(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.refusals.append(CommitPostponed("the group changes"))
    stage.step_and_commit()
    stage.kafka.take_events()
    stage.clock.advance(HALF_A_SECOND_MS - 1)
    stage.worker.step()
    assert stage.kafka.take_events() == []
    stage.clock.advance(1)
    stage.worker.step()
    assert stage.kafka.take_events() == ["commit in-0@2", "2 results"]
    assert stage.kafka.committers == 1


def test_a_corrupted_task_is_wiped_and_its_neighbour_is_not(stage: Stage) -> None:
    stage.run(0, 1)
    stage.close()
    stage.kafka.write(CHANGELOG, 0, ("other", "00000000"))
    stage.kafka.write(CHANGELOG, 1, ("other", "00000000"))
    stage.kafka.corrupted.add((CHANGELOG, 1))
    stage.run(0, 1)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, 2]
    assert stage.kafka.restored_from[CHANGELOG, 1] == [None, 1, None]
    assert stage.worker.figures.tasks() == {"0_0": "running", "0_1": "running"}


def test_closing_commits_then_checkpoints_then_leaves(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.take_events()
    stage.close()
    assert stage.kafka.take_events() == [
        "commit in-0@2",
        "2 results",
        # The markers of this commit are waited for, then the checkpoint is taken.
        f"end of {CHANGELOG}-0",
        f"end of {CHANGELOG}-0",
        "committed offset of in-0",
        f"end of {CHANGELOG}-0",
        "commit in-0@2",
        "stop reading in-0",
        "close producer",
        "close restorer",
        "close inputs",
        "leave",
    ]
    stage.run(0)
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, 2]


def test_closing_tries_a_postponed_commit_again(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.refusals.append(CommitPostponed("not now"))
    stage.close()
    assert stage.kafka.committed.keys() == {("in", 0)}


def test_closing_a_worker_that_was_fenced_aborts_and_leaves(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.refusals.append(TaskMigrated("fenced"))
    stage.kafka.take_events()
    stage.close()
    assert stage.kafka.take_events()[:2] == ["refuse commit: fenced", "abort"]
    assert stage.kafka.committed == {}


def test_kills_of_an_idle_worker_that_ran_for_a_minute_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = Stage(tmp_path)
    idle.run(0, 1)
    begin = monotonic()
    left = tmp_path / "app" / "crashes" / idle.host.member_id
    for seconds, before in ((0, "after 0"), (59, "after 0"), (61, "after -1")):
        monkeypatch.setattr(worker_module, "monotonic", lambda at=begin + seconds: at)
        idle.worker.step()
        assert before in left.read_text()  # what the next process counts from
    idle.worker.abandon()
    idle.host.close()


def test_an_abandoned_worker_commits_nothing(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.take_events()
    stage.is_open = False
    stage.worker.abandon()
    assert stage.kafka.take_events() == [
        "abort",
        "close producer",
        "close restorer",
        "close inputs",
        "leave",
    ]


def test_after_the_broker_was_away_inputs_get_a_new_client(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.refusals.append(BrokerAway("no answer"))
    stage.step_and_commit()
    assert stage.kafka.take_events()[-1] == "renew inputs"


@pytest.mark.parametrize("fault", [BrokerAway("no answer"), BrokerSilent("no answer")])
def test_a_broker_that_stays_away_ends_the_worker_after_the_task_timeout(
    tmp_path: Path, fault: Exception
) -> None:
    stage = Stage(tmp_path, **{"task.timeout.ms": 0})
    stage.kafka.write("in", 0, ("a", "x"))
    stage.run(0)
    stage.kafka.refusals.append(fault)
    with pytest.raises(StreamsError, match=r"'task\.timeout\.ms' allows; tried 1 times"):
        stage.step_and_commit()
    stage.worker.abandon()
    stage.host.close()


def test_figures_of_a_worker(stage: Stage) -> None:
    worker = stage.open(0, 1)
    assert not worker.figures.caught_up()
    worker.step()
    figures = worker.figures
    assert figures.tasks() == {"0_0": "running", "0_1": "running"}
    assert (figures.records_in(), figures.lag(), figures.restoration()) == (3, 0, (0, 0))
    assert figures.caught_up()
    assert not figures.drained()
    stage.step_and_commit()
    assert figures.drained()
    assert figures.state_entries() == {"counts": 2}
    assert {task: counted["process-total"] for task, counted in figures.counters().items()} == {
        "0_0": 2,
        "0_1": 1,
    }
    stage.kafka.membership.revoke(0)
    worker.step()
    assert figures.records_in() == 3


def test_a_paused_worker_waits_until_it_is_asked_something(tmp_path: Path) -> None:
    stage = Stage(tmp_path, **{"poll.ms": 3_600_000})
    worker = stage.run(0)
    waiting = threading.Thread(target=worker.step, kwargs={"paused": True}, daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    worker.wake()
    waiting.join(PATIENCE_SECONDS)
    assert not waiting.is_alive()
    stage.close()
    stage.host.close()


@pytest.mark.parametrize("uninterrupted", [0, 3600])
def test_a_question_ends_a_step_that_lasts_before_its_next_task(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, uninterrupted: float
) -> None:
    monkeypatch.setattr(processing, "_UNINTERRUPTED_SECONDS", uninterrupted)
    worker = stage.run(0, 1)
    stage.kafka.write("in", 0, ("a", "x"))
    stage.kafka.write("in", 1, ("b", "y"))
    before, read = worker.figures.records_in(), worker._inputs.read

    def asked_meanwhile(wait_seconds: float, limit: int) -> Any:
        worker.wake()
        return read(wait_seconds, limit)

    monkeypatch.setattr(worker._inputs, "read", asked_meanwhile)
    worker.step()
    assert worker.figures.records_in() == before + (2 if uninterrupted else 1)
    worker.step()
    assert worker.figures.records_in() == before + 2


def waits_of(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return for how many seconds each read from now on may wait."""
    waits: list[float] = []
    read = worker._inputs.read

    def noted(wait_seconds: float, limit: int) -> Any:
        waits.append(wait_seconds)
        return read(wait_seconds, limit)

    monkeypatch.setattr(worker._inputs, "read", noted)
    return waits


def test_a_task_that_watches_for_silence_is_looked_at_however_long_a_poll_may_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, when_idle=lambda key, value: None, **{"poll.ms": HOUR_MS})
    worker = stage.open()
    waits = waits_of(worker, monkeypatch)
    worker.step()
    stage.kafka.membership.assign(0)
    worker.step()
    worker.step()
    assert waits == [3600, 0.5, 0.5]
    stage.close()
    stage.host.close()


def test_a_duration_of_zero_begins_at_the_end(tmp_path: Path) -> None:
    """It was taken for no duration, and the whole topic was read."""
    stage = Stage(tmp_path, offset_reset=timedelta(0))
    stage.kafka.write("in", 0, ("a", "x"), ("a", "y"))
    stage.run(0)
    assert "read in-0 from 2" in stage.kafka.take_events()
    stage.close()
    stage.host.close()
