"""A program behind a watchdog ends with its owner, however the owner ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import child_process

# Says that it is there and its process id, then lives until it is ended; politely or not.
POLITE = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + POLITE


class Watched:
    """A watchdog of a process: of this one, or of another that tests may kill."""

    def __init__(self, holder: subprocess.Popen[bytes]) -> None:
        self.holder = holder
        assert holder.stdout is not None
        self.program_pid = int(holder.stdout.readline())

    def let_go(self) -> int:
        assert self.holder.stdin is not None
        self.holder.stdin.close()
        return self.holder.wait(10)


def watched(code: str, grace_seconds: float = 10.0) -> Watched:
    command = child_process.command([sys.executable, "-c", code], os.getpid(), grace_seconds)
    return Watched(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))


@pytest.fixture
def held() -> Iterator[Watched]:
    result = watched(POLITE)
    yield result
    result.let_go()
    close_output(result)


def close_output(held: Watched) -> None:
    assert held.holder.stdout is not None
    held.holder.stdout.close()


def lives(pid: int) -> bool:
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state.strip()) and not state.startswith("Z")


def ends_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while lives(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_program_ends_when_its_owner_lets_go() -> None:
    held = watched(POLITE)
    assert held.let_go() == 128 + signal.SIGTERM
    assert not lives(held.program_pid)
    close_output(held)


def test_an_announcement_is_taken_back_before_the_program_is_ended(tmp_path: Path) -> None:
    announced, seen = tmp_path / "broker.lock", tmp_path / "seen"
    announced.write_text("here")
    code = (
        "import signal, sys; from pathlib import Path; "
        f"look = lambda *_: sys.exit(Path({str(seen)!r}).write_text("
        f"'found ' + Path({str(announced)!r}).read_text())); "
        "signal.signal(signal.SIGTERM, look); "
    )
    program = [sys.executable, "-c", code + POLITE]
    with announced.open("r+") as file:
        held = Watched(
            subprocess.Popen(
                child_process.command(program, os.getpid(), 10.0, file.fileno()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[file.fileno()],
            )
        )
        held.let_go()
    assert seen.read_text() == "found "
    close_output(held)


def test_a_program_ends_politely_although_its_announcement_cannot_be_emptied(
    tmp_path: Path,
) -> None:
    announced = tmp_path / "broker.lock"
    announced.write_text("here")
    with announced.open() as file:  # not for writing
        command = child_process.command(
            [sys.executable, "-c", POLITE], os.getpid(), 10.0, file.fileno()
        )
        held = Watched(
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[file.fileno()],
            )
        )
        assert held.let_go() == 128 + signal.SIGTERM
    close_output(held)


def test_program_that_ignores_sigterm_is_killed_after_the_grace() -> None:
    held = watched(STUBBORN, grace_seconds=0.1)
    assert held.let_go() == 128 + signal.SIGKILL
    assert not lives(held.program_pid)
    close_output(held)


def test_exit_code_is_the_program_s() -> None:
    command = child_process.command(
        [sys.executable, "-c", "raise SystemExit(7)"], os.getpid(), 10.0
    )
    with subprocess.Popen(command, stdin=subprocess.PIPE) as holder:
        assert holder.wait(10) == 7


def test_watchdog_told_to_end_ends_the_program(held: Watched) -> None:
    held.holder.terminate()
    assert ends_within(held.program_pid, 5)


def test_watchdog_told_to_kill_grants_no_grace() -> None:
    held = watched(STUBBORN, grace_seconds=60)
    held.holder.send_signal(child_process.KILL)
    assert held.holder.wait(10) == 128 + signal.SIGKILL
    assert not lives(held.program_pid)
    held.let_go()
    close_output(held)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a death pact")
def test_program_ends_when_the_watchdog_is_killed(held: Watched) -> None:
    held.holder.kill()
    assert ends_within(held.program_pid, 5)


@pytest.mark.slow
def test_program_ends_when_the_owner_is_killed_and_a_fork_of_it_holds_the_pipe(
    tmp_path: Path,
) -> None:
    """The pipe stays open; the watchdog notices that it has another parent."""
    owner_code = (
        "import os, subprocess, sys, time\n"
        "from penstock._engine.kafka.local_broker import child_process\n"
        f"program = [sys.executable, '-c', {POLITE!r}]\n"
        "command = child_process.command(program, os.getpid(), 10.0)\n"
        "subprocess.Popen(command, stdin=subprocess.PIPE)\n"
        "fork = os.fork()\n"
        "if fork:\n"
        f"    open({str(tmp_path / 'fork')!r}, 'w').write(str(fork))\n"
        "time.sleep(60)\n"
    )
    owner = Watched(
        subprocess.Popen(
            [sys.executable, "-c", owner_code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
    )
    try:
        owner.holder.kill()
        owner.holder.wait()
        assert ends_within(owner.program_pid, 5)
    finally:
        os.kill(int((tmp_path / "fork").read_text()), signal.SIGKILL)
        close_output(owner)
