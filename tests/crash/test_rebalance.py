"""Workers come and go while records are processed; every record counts once."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.crash.fleet import (
    Fleet,
    all_updates,
    by_letter,
    counted_once,
    produce,
    updates,
    wait_until_consumed,
)

RECORDS = 2000
SESSION_SECONDS = 3


@pytest.mark.slow
def test_workers_that_join_and_leave_in_the_middle_of_the_work(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, "come-and-go")
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=1)
    fleet.launch(state="a")
    for number in range(3):
        joining = fleet.launch(state=f"b{number}")
        written += produce(fleet, RECORDS, seed=10 + number)
        fleet.wait_until_ready(joining)
        time.sleep(1.0)
        joining.terminate()
        written += produce(fleet, RECORDS, seed=20 + number)
    counts = all_updates(fleet, written.total(), "by-key", "by-letter")
    assert fleet.stop() == []
    assert counts["by-key"] == counted_once(written)
    assert counts["by-letter"] == counted_once(by_letter(written))


@pytest.mark.slow
def test_a_worker_that_leaves_hands_its_tasks_over_at_once(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, "leaves")
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=1)
    leaving = fleet.launch(state="a")
    assert updates(fleet, "by-key", written.total()) == counted_once(written)
    leaving.terminate()
    assert leaving.wait(timeout=30) == 0
    fleet.launch(state="b")
    written += produce(fleet, RECORDS, seed=2)
    # The session timeout is 3 s and would show as a wait; patience here is for slow machines only.
    assert updates(fleet, "by-key", written.total()) == counted_once(written)
    assert fleet.stop() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["before-send", "before-offsets", "before-commit", "after-commit"]
)
def test_a_worker_that_stands_still_in_a_commit_and_comes_back_as_a_zombie(
    point: str, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    """It stands still longer than its session lasts and loses its tasks; when it goes on, what it
    was about to commit is refused, or was committed before.
    """
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, f"zombie-{point}")
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=3)
    zombie = fleet.launch(crash_at=f"{point}:2:stop", state="a")
    fleet.wait_until_stopped(zombie)
    fleet.launch(state="b")
    written += produce(fleet, RECORDS, seed=4)
    time.sleep(SESSION_SECONDS + 3)
    zombie.send_signal(signal.SIGCONT)
    # One topic after the other: the zombie has the longer to do harm.
    by_key = updates(fleet, "by-key", written.total())
    letters = updates(fleet, "by-letter", written.total())
    fleet.stop()
    assert by_key == counted_once(written)
    assert letters == counted_once(by_letter(written))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guarantee", "point"),
    [
        ("exactly_once_v2", "before-ends"),
        ("at_least_once", "after-ends"),
        ("at_least_once", "processed"),
    ],
)
def test_a_zombie_that_gets_its_tasks_back_has_the_state_of_those_that_had_them(
    guarantee: str, point: str, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    """It stands still where it asks for the ends of its changelogs, or before it writes to them.
    Meanwhile another worker processes records and writes to the same changelogs: the zombie must
    restore these when the other one leaves, and neither take the ends for its own nor write what it
    had in hand behind them.
    """
    name = f"back-{guarantee}-{point}"
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, name, guarantee)
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=5)
    zombie = fleet.launch(crash_at=f"{point}:1:stop", state="a")
    # Ends are asked for some seconds after the start, and only if there is something to commit.
    while not fleet.is_stopped(zombie):
        written += produce(fleet, 20, seed=written.total())
    heir = fleet.launch(state="b")
    written += produce(fleet, RECORDS, seed=6)
    if guarantee == "at_least_once":
        # Some are counted twice, so no count says when all are done.
        wait_until_consumed(fleet)
    else:
        assert updates(fleet, "by-key", written.total()) == counted_once(written)
    zombie.send_signal(signal.SIGCONT)
    time.sleep(SESSION_SECONDS)
    heir.terminate()
    assert heir.wait(timeout=60) == 0
    written += produce(fleet, RECORDS, seed=7)
    wait_until_consumed(fleet)
    counts = all_updates(fleet, written.total(), "by-key")["by-key"]
    fleet.stop()
    if guarantee == "at_least_once":
        last = {key: seen[-1] for key, seen in counts.items()}
        short = {key: (last.get(key), count) for key, count in written.items() if last[key] < count}
        assert short == {}
    else:
        assert counts == counted_once(written)
