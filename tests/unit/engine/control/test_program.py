"""A program as a worker gets it."""

from __future__ import annotations

import pickle
from typing import Any, cast

from penstock._engine.control.program import ProgramHere, ShippedProgram


def test_a_shipped_program_is_opened() -> None:
    opened: Any = ShippedProgram(pickle.dumps("a blueprint")).open()
    assert opened == "a blueprint"


def test_a_program_in_its_own_process_is_not_copied() -> None:
    blueprint = cast("Any", object())
    assert ProgramHere(blueprint).open() is blueprint
