"""One child after the other: changes, deaths, signals. The children are programs of a few lines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from penstock.cli.reloading import reloader
from penstock.cli.reloading.reloader import Reloader, SinglePress
from penstock.terminal.signal_handlers import ENDING
from tests.terminal import command, environment

PATIENCE_SECONDS = 60.0

# As `penstock run --dev`, without the engine.
PARENT = """
import runpy, signal, sys
from penstock.cli.reloading import reloader
reloader._load_engine = lambda: None
reloader._END_SECONDS = 1.0
path = sys.argv[1]

def child(link):
    link.begin()
    try:
        runpy.run_path(path, run_name="__main__")
    finally:
        link.end()
    return 0

try:
    sys.exit(reloader.Reloader(child, "app.py", [path]).run())
except KeyboardInterrupt:
    sys.exit(130)
"""
# A signal comes in the parent, or in the child, right after the fork.
SIGNALLED = """
import os, signal
fork = os.fork

def signalled():
    process = fork()
    if bool(process) == {in_parent}:
        os.kill(os.getpid(), signal.{name})
    return process

os.fork = signalled
"""
WAIT = "import time, os\nprint('{}', os.getpid(), flush=True)\ntime.sleep(1000)\n"


class Running:
    """A parent with its children, and what they have printed."""

    def __init__(self, program: Path, before: str = "") -> None:
        self.output = program.with_name("output")
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", before + PARENT, str(program)],
                # Users do not set it, and write bytecode.
                env={
                    name: value
                    for name, value in os.environ.items()
                    if name != "PYTHONDONTWRITEBYTECODE"
                },
                stdout=output,
                stderr=output,
            )

    def wait_for(self, text: str) -> list[str]:
        """Wait until `text` is printed; return the words of its line."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            said = self.output.read_text()
            found = [line for line in said.splitlines(keepends=True) if text in line]
            if found and found[-1].endswith("\n"):
                return found[-1].split()
            assert time.monotonic() < until, f"{text!r} was not printed, but {said}"
            time.sleep(0.02)

    def ended(self) -> int:
        return self.process.wait(PATIENCE_SECONDS)


@contextmanager
def running(program: Path, text: str, before: str = "") -> Iterator[Running]:
    program.write_text(text)
    parent = Running(program, before)
    try:
        yield parent
    finally:
        parent.process.kill()
        parent.process.wait()


def is_alive(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        # One that has ended and was not waited for is a zombie.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_program_is_run_again_after_a_change_a_failure_and_a_death(tmp_path: Path) -> None:
    program = tmp_path / "app.py"
    with running(program, WAIT.format("one")) as parent:
        first = int(parent.wait_for("one")[1])
        program.write_text("print('two')\nraise SystemExit(3)\n")
        parent.wait_for("failed with exit code 3; it is started again when a file changes")
        assert not is_alive(first)
        program.write_text("import os\nos.abort()\n")
        parent.wait_for("died of SIGABRT; it is started again when a file changes")
        program.write_text("import os\nos._exit(0)  # not its end\n")
        parent.wait_for("called os._exit(0) in its middle; it is started again when a file changes")
        # A child that does not end by itself is killed.
        stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        program.write_text(stubborn + WAIT.format("three"))
        third = int(parent.wait_for("three")[1])
        program.write_text("print('four')\n")
        assert parent.ended() == 0
        parent.wait_for("four")
        assert not is_alive(third)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("raise ValueError('no')\n", 1, "app.py failed: ValueError: no (at"),
        ("import os\nos.abort()\n", 134, "app.py died of SIGABRT\n"),
        ("import os\nos._exit(0)\n", 1, "app.py called os._exit(0) in its middle\n"),
    ],
)
def test_a_bounded_run_that_fails_ends_with_its_error(
    tmp_path: Path, text: str, code: int, said: str
) -> None:
    """It waited for a change for ever, as in a job that nobody watches."""
    program = tmp_path / "app.py"
    program.write_text(text)
    ran = subprocess.run(
        command("run", "--dev", "--available-now", str(program)),
        env=environment(tmp_path),
        text=True,
        check=False,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    assert (ran.returncode, said in ran.stderr) == (code, True), ran.stderr


def test_two_changes_of_one_second_and_size_are_both_run(tmp_path: Path) -> None:
    """Bytecode of the first was run, as the second has its second and its size."""
    program, helper = tmp_path / "app.py", tmp_path / "helper.py"
    helper.write_text("NAME = 'apple'\n")
    second = helper.stat().st_mtime_ns // 10**9 * 10**9
    os.utime(helper, ns=(second, second))
    path = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport helper, os, time\n"
    shows = "print(helper.NAME, os.getpid(), flush=True)\ntime.sleep(1000)\n"
    with running(program, path + shows) as parent:
        parent.wait_for("apple")
        time.sleep(1.0)  # until it is reported
        helper.write_text("NAME = 'grape'\n")
        os.utime(helper, ns=(second + 1, second + 1))
        parent.wait_for("grape")


def test_a_program_s_libraries_are_compiled_once(tmp_path: Path) -> None:
    """They came without bytecode, and were compiled at each start as none was written."""
    program = tmp_path / "app.py"
    asks = "import sys\nprint('writes', not sys.dont_write_bytecode, flush=True)\n"
    with running(program, asks) as parent:
        assert parent.wait_for("writes") == ["writes", "True"]
        assert parent.ended() == 0


def test_a_signal_ends_child_and_parent(tmp_path: Path) -> None:
    with running(tmp_path / "app.py", WAIT.format("one")) as parent:
        child = int(parent.wait_for("one")[1])
        parent.process.send_signal(signal.SIGINT)
        assert parent.ended() == 130
        assert not is_alive(child)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_right_after_the_fork_reaches_the_child(tmp_path: Path, name: str) -> None:
    before = SIGNALLED.format(in_parent=True, name=name)
    with running(tmp_path / "app.py", WAIT.format("one"), before) as parent:
        assert parent.ended() == 130


def test_a_signal_that_a_new_child_gets_first_is_not_swallowed(tmp_path: Path) -> None:
    before = SIGNALLED.format(in_parent=False, name="SIGINT")
    with running(tmp_path / "app.py", WAIT.format("one"), before) as parent:
        parent.wait_for("failed with exit code 130; it is started again when a file changes")


def test_a_signal_while_a_change_settles_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "app.py"
    program.write_text("one")
    waiting = Reloader(lambda link: 0, "app.py", [str(program)])
    program.write_text("mended")
    signals = reloader._Signals()
    monkeypatch.setattr(time, "sleep", lambda _: signals.handle(signal.SIGTERM, None))
    assert waiting._wait_for_change(3, signals) == 3
    # And one that comes later still.
    assert reloader._begin(signals) is None
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []).isdisjoint(ENDING)


def test_a_child_does_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    with running(tmp_path / "app.py", WAIT.format("one")) as parent:
        child = int(parent.wait_for("one")[1])
        parent.process.kill()
        until = time.monotonic() + PATIENCE_SECONDS
        while is_alive(child):
            assert time.monotonic() < until, "the child goes on"
            time.sleep(0.02)


def test_one_press_interrupts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(reloader, "monotonic", lambda: now)
    press = SinglePress()
    with pytest.raises(KeyboardInterrupt):
        press(signal.SIGINT, None)
    now += 0.1
    press(signal.SIGINT, None)
    now += 1.0
    with pytest.raises(KeyboardInterrupt):
        press(signal.SIGINT, None)
