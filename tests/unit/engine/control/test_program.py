"""A program as a worker gets it."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from penstock._engine.control.program import ProgramHere, ShippedProgram


def test_a_shipped_program_brings_its_module_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", ["/here"])
    missing = str(tmp_path / "missing")
    shipped = ShippedProgram(pickle.dumps("a blueprint"), (str(tmp_path), missing, "/here"))
    opened: Any = shipped.open()
    assert opened == "a blueprint"
    assert sys.path == ["/here", str(tmp_path)]


def test_a_program_in_its_own_process_is_not_copied() -> None:
    blueprint = cast("Any", object())
    assert ProgramHere(blueprint).open() is blueprint
