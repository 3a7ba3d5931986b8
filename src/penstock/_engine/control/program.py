"""The application as a worker receives it: shipped to another process, or in this one."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from penstock._engine.planner.blueprint import Blueprint


class Program(Protocol):
    """What an engine thread needs of the application that it runs."""

    @property
    def own_process(self) -> bool:
        """Whether its process has no other work. What is printed there ends in a log that its user
        does not read, so it is sent to the driver.
        """

    def open(self) -> Blueprint:
        """Return the blueprint."""


@dataclass(frozen=True, slots=True)
class ShippedProgram:
    """A program inside the code that Spark sends, which Spark's encryption covers and no page of
    its UI shows. What opens it finds the driver's modules.
    """

    own_process: ClassVar[bool] = True

    blueprint: bytes = field(default=b"", repr=False)

    def open(self) -> Blueprint:
        """Return the blueprint."""
        blueprint: Blueprint = pickle.loads(self.blueprint)
        return blueprint


@dataclass(frozen=True, slots=True)
class ProgramHere:
    """A program that runs in the process that made it."""

    own_process: ClassVar[bool] = False

    blueprint: Blueprint = field(repr=False)

    def open(self) -> Blueprint:
        """Return the blueprint."""
        return self.blueprint
