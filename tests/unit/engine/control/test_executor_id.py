"""The executor of a process is found on the command line of an ancestor."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.control.executor_id import executor_id, found_above


def process(folder: Path, number: int, parent: int, *words: str) -> None:
    (folder / str(number)).mkdir()
    (folder / str(number) / "cmdline").write_bytes(b"".join(f"{w}\0".encode() for w in words))
    (folder / str(number) / "stat").write_text(f"{number} (a (b) c) S {parent} 1 1 0\n")


def test_the_executor_of_an_ancestor_is_found(tmp_path: Path) -> None:
    process(tmp_path, 30, 20, "python", "worker.py")
    process(tmp_path, 20, 10, "python", "daemon.py")
    process(tmp_path, 10, 1, "java", "CoarseGrainedExecutorBackend", "--executor-id", "7", "--x")
    assert found_above(30, tmp_path) == "7"


def test_without_an_executor_there_is_none(tmp_path: Path) -> None:
    process(tmp_path, 30, 1, "python", "--executor-id")
    process(tmp_path, 1, 0, "init")
    assert found_above(30, tmp_path) == ""
    assert found_above(31, tmp_path) == ""


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    executor_id.cache_clear()
    monkeypatch.setenv("SPARK_EXECUTOR_ID", "3")
    assert executor_id() == "3"
    executor_id.cache_clear()
