"""The driver of `benchmarks.scale`: the host of an application whose workers others start.

Everything that a driver does is the engine's own: the control server, what it knows of its members,
their standbys, the announcements, the supervision. Only the turns of Spark are missing.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.scale_members import SharedProcess
from penstock._engine.control.application_host import ApplicationHost, Surroundings
from penstock._engine.control.protocol.messages import ControlAddress, Instruction, Report
from penstock._engine.control.slot_plan import Capacity, SlotPlan
from penstock._engine.control.status import GONE
from penstock._engine.control.supervision import Supervision
from penstock._engine.http.clients.driver_client import HttpDriverClient, own_driver
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.shipping.shipping import pack
from penstock.application_states import State, StateMachine

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Spread:
    """How the tasks lie on the members, by their reports."""

    members: int
    """Those that live and have joined the group."""
    running: int
    """Tasks that run, each counted once."""
    twice: int
    """Tasks that two members report: one of them has not noticed yet that it has lost its task."""
    least: int
    most: int
    """Tasks of the member with the fewest, and with the most."""

    def settled(self, members: int, tasks: int) -> bool:
        """Return whether all tasks run, evenly, on so many members."""
        whole = self.members == members and self.running == tasks and not self.twice
        return whole and self.most - self.least <= 1


def spread_of(reports: Mapping[str, Report]) -> Spread:
    """Return how the tasks lie on the members that live and have joined."""
    alive = [one for one in reports.values() if one.state not in GONE and one.joined]
    tasks = [task for one in alive for task, state in one.tasks.items() if state == "running"]
    counts = [len(one.tasks) for one in alive] or [0]
    different = set(tasks)
    return Spread(len(alive), len(different), len(tasks) - len(different), min(counts), max(counts))


def owners(reports: Mapping[str, Report]) -> dict[str, str]:
    """Return which member has each task."""
    return {
        task: name for name, one in reports.items() if one.state not in GONE for task in one.tasks
    }


def moved(before: Mapping[str, str], after: Mapping[str, str]) -> int:
    """Return how many tasks have another owner."""
    return sum(owner != before.get(task) for task, owner in after.items())


class ScaleHost(ApplicationHost[SharedProcess]):
    """Hosts members that `MemberProcess` starts."""

    def __init__(self, blueprint: Blueprint, slots: int) -> None:
        self._leaving: set[str] = set()
        self._states = StateMachine()
        self._supervision = Supervision(self._states, lambda: None)
        self._supervision.follow_plan(blueprint)
        config = blueprint.config
        surroundings = Surroundings(
            self._supervision.take_report, own_driver(config, None), HttpDriverClient(config)
        )
        plan = SlotPlan(slots, lambda: Capacity(slots))
        plan.open_turn(1)
        super().__init__(blueprint, surroundings, plan, _LOOPBACK)
        self._supervision.follow_query(self)
        self._states.move(State.REBALANCING)
        self.program = self._pack(blueprint)
        """The blueprint as workers get it."""
        self._begin(blueprint, self.program)

    @property
    def address(self) -> ControlAddress:
        """Where the control server listens."""
        return self._control.address

    def release(self, members: Collection[str]) -> None:
        """Have these members leave in good order."""
        self._leaving.update(members)

    def await_settled(self, members: int, tasks: int, seconds: float) -> float:
        """Wait until all tasks run evenly on so many members; return for how many seconds.

        Raises:
            RuntimeError: that is not so in time.
        """
        begin = time.monotonic()
        while not (now := spread_of(self.members())).settled(members, tasks):
            self._active()
            if (failure := self._supervision.failure) is not None:
                raise RuntimeError(failure.message)
            if time.monotonic() - begin > seconds:
                msg = f"{tasks} tasks on {members} members not settled in {seconds:.0f} s: {now}"
                raise RuntimeError(msg)
            time.sleep(0.05)
        return time.monotonic() - begin

    def rest(self, seconds: float) -> None:
        """Do for a while what a driver does while nothing happens."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._active()
            time.sleep(0.1)

    def _active(self) -> None:
        self._active_at = time.monotonic()
        self.announce()

    def _report(self, report: Report) -> Instruction:
        instruction = super()._report(report)
        return Instruction(stop=True) if report.member_id in self._leaving else instruction

    def _pack(self, blueprint: Blueprint) -> SharedProcess:
        return SharedProcess(pack(blueprint))

    def _start_workers(self, program: SharedProcess) -> None: ...

    def _end_workers(self, *, finished: bool) -> bool:
        return finished

    def _is_active(self) -> bool:
        return True

    def _release(self, *, finished: bool) -> None: ...

    def failure(self) -> str | None:
        """Return None: no query can end."""
        return None

    def lost_its_workers(self, failure: str) -> bool:  # noqa: ARG002
        """Return False: no query can end."""
        return False

    def look_at_session(self) -> None:
        """Do nothing: there are no other jobs."""

    def progress(self) -> dict[str, Any] | None:
        """Return None: there are no turns."""
        return None
