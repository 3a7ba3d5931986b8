"""One worker in this process, without Spark: the host for development.

A thread takes turn after turn, as a slot does on Spark; the engine thread, its lease and its
reports to the control server are the same. What another process is good for is missing: a function
that ends its process ends the driver, too, and the user's program shares the interpreter lock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from penstock._clock import monotonic, new_id
from penstock._engine.control.application_host import ApplicationHost, Surroundings
from penstock._engine.control.engine_thread import (
    Turn,
    is_engine_of,
    take_turn,
    wait_for_end,
)
from penstock._engine.control.program import ProgramHere
from penstock._engine.control.slot_plan import Capacity, SlotPlan
from penstock._engine.planner.blueprint import Blueprint

_LOOPBACK = "127.0.0.1"
_SLOTS = 1
# A worker that failed has a successor after this time, if the uncaught handler wants one.
_AGAIN_SECONDS = 0.5
# How long a worker may take to end that has not reported yet: it gets its clients, joins, leaves.
_LAST_TURN_SECONDS = 10.0


@dataclass(slots=True)
class _Turns:
    """The turns of one run, on a thread of their own."""

    run_id: str = field(default_factory=new_id)
    number: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    """Set when no turn may follow."""
    thread: threading.Thread | None = None
    error: BaseException | None = None


class LocalHost(ApplicationHost[ProgramHere]):
    """Runs an application in this process."""

    def __init__(self, blueprint: Blueprint, surroundings: Surroundings) -> None:
        seconds = blueprint.config.turn_ms / 1000
        slots = SlotPlan(_SLOTS, lambda: Capacity(_SLOTS), turn_seconds=seconds)
        super().__init__(blueprint, surroundings, slots, _LOOPBACK)
        self._turns = _Turns()
        self._begin(blueprint, self._pack(blueprint))

    def failure(self) -> str | None:
        """Return why the turns ended, None if they did not end by themselves."""
        if self._stop:
            return None
        if self._is_active():
            self._active_at = monotonic()
            return None
        error = self._turns.error
        return f"the development host has ended: {type(error).__name__}: {error}"

    def lost_its_workers(self, failure: str) -> bool:  # noqa: ARG002
        """Return False: a worker that dies takes this process with it."""
        return False

    def runs_this_thread(self) -> bool:
        return is_engine_of(self._turns.run_id)

    def look_at_session(self) -> None:
        """Do nothing: there are no other jobs."""

    def progress(self) -> dict[str, Any]:
        """Return how the application is now: `host` is "local", and all but that and `turn` is
        what `sources[0].latestOffset` is on Spark, without the figures of the last turn.
        """
        with self._lock:
            records = self._records.totals()
        return {
            "host": "local",
            "turn": self._turns.number,
            **self._figures(),
            "recordsIn": records["records-in-total"],
            "recordsOut": records["records-out-total"],
        }

    def _pack(self, blueprint: Blueprint) -> ProgramHere:
        return ProgramHere(blueprint)

    def _start_workers(self, program: ProgramHere) -> None:
        turns = self._turns = _Turns()
        turns.thread = threading.Thread(
            target=self._take_turns, args=(turns, program), name="penstock-turns", daemon=True
        )
        turns.thread.start()

    def _end_workers(self, *, finished: bool) -> bool:
        turns = self._turns
        turns.over.set()
        # A worker that has not reported yet is among no members, and must not be cut off.
        ended = wait_for_end(turns.run_id, _LAST_TURN_SECONDS if finished else 0)
        if ended and turns.thread is not None:
            turns.thread.join(_LAST_TURN_SECONDS)
        return finished and ended

    def _is_active(self) -> bool:
        return self._turns.thread is not None and self._turns.thread.is_alive()

    def _release(self, *, finished: bool) -> None: ...

    def _take_turns(self, turns: _Turns, program: ProgramHere) -> None:
        try:
            for turns.number in count(1):
                if turns.over.is_set() or self._stop or self._closed:
                    return
                self._take_turn(turns, program)
        except BaseException as error:
            turns.error = error
            raise

    def _take_turn(self, turns: _Turns, program: ProgramHere) -> None:
        self._slots.open_turn(turns.number)
        begin = monotonic()
        seconds = self._seconds_left(turns.number)
        address, lease_seconds = self._control.address, self._config.lease_ms / 1000
        turn = Turn(turns.run_id, address, seconds, lease_seconds, (turns.number, 0), program)
        for _ in take_turn(turn):
            pass  # Kafka has them; no table shows them here
        if monotonic() - begin < seconds:
            turns.over.wait(_AGAIN_SECONDS)
