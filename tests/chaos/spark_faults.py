"""The faults of an application on Spark: its workers, its JVM, its driver, a second instance.

Faults of brokers, network, functions and records are those of `faults.py`.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from contextlib import suppress
from typing import Final

from tests.chaos import faults
from tests.chaos.campaign import Campaign
from tests.chaos.faults import Inject
from tests.chaos.program import SESSION_SECONDS
from tests.chaos.spark_lane import SparkLane


def kill_worker(campaign: Campaign, chance: random.Random) -> str:
    """SIGKILL one worker."""
    pid = _lane(campaign).worker(chance)
    _signal([pid], signal.SIGKILL)
    return f"process {pid}"


def kill_all_workers(campaign: Campaign, _chance: random.Random) -> str:
    """SIGKILL all workers at once."""
    lane = _lane(campaign)
    lane.wait_until_working()
    pids = list(lane.driver.pids)
    _signal(pids, signal.SIGKILL)
    return f"{len(pids)} workers"


def stall_worker_short(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP a worker for less than its session."""
    return _stall([_lane(campaign).worker(chance)], chance.uniform(0.3, 0.7) * SESSION_SECONDS)


def stall_worker_long(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP a worker for longer than its session."""
    return _stall([_lane(campaign).worker(chance)], SESSION_SECONDS + chance.uniform(2.0, 4.0))


def stall_jvm(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP the JVM; workers go on by their leases."""
    return _stall([_lane(campaign).jvm()], chance.uniform(2.0, 8.0))


def stall_driver(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP the driver's Python process, which workers report to."""
    return _stall([_lane(campaign).driver.process.pid], chance.uniform(2.0, 8.0))


def kill_jvm(campaign: Campaign, _chance: random.Random) -> str:
    """SIGKILL the JVM: the driver must end and say so; it is started again."""
    lane = _lane(campaign)
    campaign.expected_stops = 1
    begin, driver = time.monotonic(), lane.driver
    _signal([lane.jvm()], signal.SIGKILL)
    faults._await(lambda: driver.process.poll() is not None, 60)
    ended = driver.process.poll()
    if ended is None:
        lane.kill_all(driver)
    lane.wait_until_working()
    return f"the driver ended with {ended} after {time.monotonic() - begin:.0f} s with its restart"


def kill_driver(campaign: Campaign, _chance: random.Random) -> str:
    """SIGKILL the driver, its JVM and its workers; it is started again."""
    lane = _lane(campaign)
    begin = time.monotonic()
    lane.kill_all(lane.driver)
    time.sleep(0.5)
    lane.wait_until_working()
    return f"working again after {time.monotonic() - begin:.0f} s"


def deleted_checkpoint(campaign: Campaign, _chance: random.Random) -> str:
    """Kill the driver and delete local state and Spark's checkpoint before it starts again."""
    lane = _lane(campaign)
    lane.supervised = False
    lane.kill_all(lane.driver)
    shutil.rmtree(lane.place.folder / "state")
    lane.supervised = True
    time.sleep(0.5)
    lane.wait_until_working()
    return "state directory with the checkpoint"


def join_and_leave(campaign: Campaign, chance: random.Random) -> str:
    """A second instance joins and leaves in order."""
    lane = _lane(campaign)
    other = lane.launch("state-of-second")
    faults._await(lambda: bool(other.pids), 90)
    time.sleep(chance.uniform(2.0, 5.0))
    return f"ended with {lane.end(other)}"


def join_and_die(campaign: Campaign, chance: random.Random) -> str:
    """A second instance joins and is killed."""
    lane = _lane(campaign)
    other = lane.launch("state-of-second")
    faults._await(lambda: bool(other.pids), 90)
    time.sleep(chance.uniform(1.0, 3.0))
    lane.kill_all(other)
    return "killed"


def _stall(pids: list[int], seconds: float) -> str:
    _signal(pids, signal.SIGSTOP)
    time.sleep(seconds)
    _signal(pids, signal.SIGCONT)
    return f"process {pids[0]} for {seconds:.1f} s"


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _lane(campaign: Campaign) -> SparkLane:
    assert isinstance(campaign.lane, SparkLane)
    return campaign.lane


_SHARED = (
    "kill-broker",
    "restart-broker",
    "stall-broker-short",
    "stall-broker-long",
    "reset-connections",
    "refuse-connections",
    "black-hole",
    "flapping",
    "slow-link",
    "slow-function",
    "hanging-function",
    "exiting-function",
    "poison",
    "huge-record",
    "hot-key",
    "overload",
)

ON_SPARK: Final[dict[str, Inject]] = {
    **{
        function.__name__.replace("_", "-"): function
        for function in (
            kill_worker,
            kill_all_workers,
            stall_worker_short,
            stall_worker_long,
            stall_jvm,
            stall_driver,
            kill_jvm,
            kill_driver,
            deleted_checkpoint,
            join_and_leave,
            join_and_die,
        )
    },
    **{name: faults.ON_WORKERS[name] for name in _SHARED},
}
"""Faults of the lane with Spark."""
