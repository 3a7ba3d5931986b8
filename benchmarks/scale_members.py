"""A process with some of the members of `benchmarks.scale`.

Each member is a whole worker: the engine thread with its clients, membership and reports, as it
runs in a slot of Spark. Several share a process only because a machine does not hold a hundred.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import resource
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import ClassVar

from penstock._engine.control.engine_thread import EngineThread, Turn
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.planner.blueprint import Blueprint

_DAY_SECONDS = 86_400.0
_ANSWER_SECONDS = 120.0
_END_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SharedProcess:
    """A program of which each worker of a process has its own copy, as each slot has."""

    own_process: ClassVar[bool] = False

    blueprint: bytes = field(repr=False)

    def open(self) -> Blueprint:
        """Return a new copy of the blueprint."""
        blueprint: Blueprint = pickle.loads(self.blueprint)
        return blueprint


class MemberProcess:
    """A process that members are started in."""

    def __init__(self, control: ControlAddress, blueprint: bytes, lease_seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        arguments = (there, control, blueprint, lease_seconds)
        self._process = context.Process(target=_serve, args=arguments)
        self._process.start()
        there.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid or 0

    def wait_until_ready(self) -> None:
        """Wait until everything is imported: that is no part of what is measured."""
        self._answer()

    def start(self, slots: list[int]) -> None:
        """Start a member for each of these slots."""
        self._pipe.send(slots)
        self._answer()

    def kill(self) -> None:
        """Kill the process, with its members."""
        self._process.kill()
        self._process.join()

    def end(self) -> None:
        """End the process, whose members have ended or are ended by this."""
        if self._process.is_alive():
            self._pipe.send(None)
            self._process.join(_END_SECONDS)
        self._process.kill()

    def _answer(self) -> None:
        if not self._pipe.poll(_ANSWER_SECONDS):
            msg = f"process {self.pid} of members did not answer for {_ANSWER_SECONDS:.0f} s"
            raise RuntimeError(msg)
        self._pipe.recv()


def _serve(
    pipe: Connection, control: ControlAddress, blueprint: bytes, lease_seconds: float
) -> None:
    logging.basicConfig(level=logging.WARNING)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    engines: list[EngineThread] = []
    run_id = f"scale-{os.getpid()}"
    pipe.send("ready")
    while (slots := pipe.recv()) is not None:
        engines += [
            EngineThread(
                Turn(
                    run_id,
                    control,
                    _DAY_SECONDS,
                    lease_seconds,
                    (1, slot),
                    SharedProcess(blueprint),
                )
            )
            for slot in slots
        ]
        pipe.send("started")
    for engine in engines:
        engine.join(_END_SECONDS)
