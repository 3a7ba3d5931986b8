"""How a process died is told by what it left: a stack, who called os._exit, or nothing."""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock._engine.state.files import crash_log
from penstock._engine.state.files.crash_log import CrashLog
from penstock.errors import StateError

PROGRAM = """
import ctypes, os, signal, sys
from pathlib import Path
from penstock._engine.state.files.crash_log import CrashLog

def dies(how):
    if how == "exit":
        os._exit(3)
    if how == "crash":
        ctypes.string_at(0)
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)

log = CrashLog(Path(sys.argv[1]))
log.record_in_hand = lambda: " at topic 't', partition 0, offset 5"
if len(sys.argv) > 3:
    log.reset_deaths()
dies(sys.argv[2])
log.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("exit", "ended: 'dies' (<string>:8) called os._exit(3) at topic 't', partition 0, offset"),
        ("crash", "crashed: Fatal Python error: Segmentation fault"),
        (
            "killed",
            "was killed from outside: by a person or a cluster, by Spark, or as a",
        ),
        ("not at all", None),
    ],
)
def test_the_next_process_knows_how_the_last_one_died(
    how: str, told: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "crashes" / "member"
    subprocess.run([sys.executable, "-c", PROGRAM, str(path), how], check=False)
    log = CrashLog(path)
    log.close()
    if told is None:
        assert log.predecessor is None
    else:
        assert log.predecessor is not None
        assert told in log.predecessor
    assert not path.exists()


def test_it_is_for_the_user_alone_and_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    before = os._exit
    log = CrashLog(tmp_path / "crash")
    assert (tmp_path / "crash").stat().st_mode & 0o777 == 0o600
    assert os._exit != before
    log.close()
    log.close()
    assert os._exit is before


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "crashes").write_text("a file")
    with pytest.raises(StateError, match=r"cannot be used: .* check 'state.dir', its free space"):
        CrashLog(tmp_path / "crashes" / "member")


@pytest.mark.slow
def test_deaths_before_the_first_commit_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "member"

    def die(*how: str) -> int:
        subprocess.run([sys.executable, "-c", PROGRAM, str(path), *how], check=False)
        told = crash_log._read(path)
        return 0 if told is None else told[1] + 1

    assert [die("exit"), die("killed"), die("exit", "got on"), die("exit"), die("not at all")] == [
        1,
        2,
        0,
        1,
        0,
    ]


def test_a_process_that_has_run_for_a_minute_ends_the_row_of_deaths(tmp_path: Path) -> None:
    path = tmp_path / "member"
    for seconds, then in ((59.0, 13), (60.0, 0), (3600.0, 0)):
        path.write_text("process 1, after 11 that died\n")
        log = CrashLog(path)
        assert log.deaths_in_a_row == 12
        log.survive(100.0)
        log.survive(100.0 + seconds)
        left = path.read_text()
        log.close()
        path.write_text(left)
        log = CrashLog(path)
        assert log.deaths_in_a_row == then
        log.close()


def test_a_forked_child_does_not_write_how_its_parent_ended(tmp_path: Path) -> None:
    log = CrashLog(tmp_path / "member")
    pid = os.fork()
    if pid == 0:
        os._exit(0)  # as multiprocessing ends each of its children
    os.waitpid(pid, 0)
    told = crash_log._read(tmp_path / "member")
    log.close()
    assert told is not None
    assert "killed from outside" in told[0]


@pytest.fixture
def _users_fault_handler() -> Iterator[None]:
    was_enabled = faulthandler.is_enabled()
    yield
    if not was_enabled:
        faulthandler.disable()


@pytest.mark.usefixtures("_users_fault_handler")
@pytest.mark.parametrize("users", [True, False])
def test_the_users_fault_handler_is_as_it_was(
    users: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests of this process may have left theirs open.
    monkeypatch.setattr(crash_log, "_open_logs", [])
    monkeypatch.setattr(crash_log, "_before", [])
    log = (tmp_path / "stderr").open("w")
    monkeypatch.setattr(sys, "__stderr__", log)
    faulthandler.enable(log) if users else faulthandler.disable()
    first, second = CrashLog(tmp_path / "a"), CrashLog(tmp_path / "b")
    first.close()
    # The other application in this process keeps its own.
    faulthandler.dump_traceback(second._file)
    assert faulthandler.is_enabled()
    second.close()
    assert faulthandler.is_enabled() is users
    faulthandler.disable()
    log.close()
