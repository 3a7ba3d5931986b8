"""Folders of killed drivers are deleted at the next start, those in use are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penstock._engine.spark.held_folder import CHECKPOINT, SPARK, HeldFolder, sweep

DRIVER = """
from penstock._engine.spark.held_folder import CHECKPOINT, SPARK, HeldFolder
folders = HeldFolder(SPARK), HeldFolder(CHECKPOINT)
print("made", flush=True)
input()
"""
# A child, as the JVM is, that lives a little longer than the driver.
LEAVES_A_CHILD = """
import subprocess
from penstock._engine.spark.held_folder import SPARK, HeldFolder
folder = HeldFolder(SPARK)
# With a function for the child, as pyspark starts a JVM: what is to be done after a fork is done.
child = subprocess.Popen(["cat"], pass_fds=(folder.duplicate(),), preexec_fn=lambda: None)
print("made", flush=True)
input()
"""
# With os._exit: an exit function that fails does not change how a process ends.
CLOSES_AT_EXIT = """
import atexit, os
import penstock
penstock.KafkaStreams
started = []
atexit.register(lambda: started[0].path.exists() or os._exit(3))
from penstock._engine.spark.held_folder import SPARK, HeldFolder
started.append(HeldFolder(SPARK))
started[0].remove_at_exit()
"""


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


@contextmanager
def driver(program: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program that has made its folders."""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "made\n"
        yield process


@pytest.mark.slow
def test_a_folder_of_a_killed_driver_is_deleted_and_one_in_use_is_not(tmp_path: Path) -> None:
    with driver(DRIVER) as theirs:
        ours = HeldFolder(CHECKPOINT), HeldFolder(SPARK)
        assert len(list(tmp_path.iterdir())) == 4
        os.kill(theirs.pid, signal.SIGKILL)
    sweep()
    assert set(tmp_path.iterdir()) == {folder.path for folder in ours}
    for folder in ours:
        folder.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_child_that_inherits_a_folder_holds_it_after_the_driver(tmp_path: Path) -> None:
    """A JVM that does not find it when it has started never ends."""
    with driver(LEAVES_A_CHILD) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        sweep()
        (folder,) = tmp_path.iterdir()
    # Its input is closed, so that the child ends, too.
    until = time.monotonic() + 60
    while folder.exists():
        assert time.monotonic() < until
        sweep()


@pytest.mark.slow
def test_a_program_that_closes_its_application_when_it_exits_still_finds_the_folder(
    tmp_path: Path,
) -> None:
    """The JVM makes a socket in it for each turn, the last one too."""
    subprocess.run([sys.executable, "-c", CLOSES_AT_EXIT], check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_its_owners_alone() -> None:
    folder = HeldFolder(CHECKPOINT)
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.remove()
    folder.remove()


def test_what_is_not_a_driver_s_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".lock").write_text("")
    (tmp_path / "penstock-checkpoint-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "penstock-checkpoint-older").mkdir()
    (tmp_path / "penstock-checkpoint-file").write_text("")
    sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "elsewhere",
        "penstock-checkpoint-file",
        "penstock-checkpoint-link",
        "penstock-checkpoint-older",
    ]
