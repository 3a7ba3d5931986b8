"""Checkpoint folders of killed drivers are deleted at the next start, those in use are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from penstock._engine.spark.streaming.query_checkpoint import CheckpointFolder, sweep

DRIVER = """
from pathlib import Path
from penstock._engine.spark.streaming.query_checkpoint import CheckpointFolder
folder = CheckpointFolder()
path = Path(folder.location.removeprefix("file://"))
path.mkdir()
print(path, flush=True)
input()
"""


def path_of(folder: CheckpointFolder) -> Path:
    """Return the path of a folder. Without a scheme it would be on the default file system."""
    scheme, _, path = folder.location.partition("://")
    assert scheme == "file"
    return Path(path)


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


@pytest.mark.slow
def test_a_folder_of_a_killed_driver_is_deleted_and_one_in_use_is_not(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as driver:
        assert driver.stdout is not None
        theirs = Path(driver.stdout.readline().strip())
        ours = CheckpointFolder()
        assert theirs.is_dir()
        os.kill(driver.pid, signal.SIGKILL)
    sweep()
    assert [path.name for path in tmp_path.iterdir()] == [path_of(ours).parent.name]
    ours.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_its_owners_alone() -> None:
    folder = CheckpointFolder()
    assert path_of(folder).parent.stat().st_mode & 0o777 == 0o700
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
