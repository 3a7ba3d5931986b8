"""`penstock top` against a real server, in a real terminal."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import shlex
import signal
import struct
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock import StreamsConfig
from penstock._engine.http.serving import Serving, serve
from penstock.cli import main
from penstock.terminal.whole_screen import WholeScreen, _unless_stopped, whole_screen
from tests.console.simulated import Simulated
from tests.terminal import CTRL_C, CTRL_Z, Terminal, command


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    serving = served(tmp_path)
    yield tmp_path
    serving.close()


def served(folder: Path) -> Serving:
    config = StreamsConfig({"application.id": "shop", "penstock.http.port": 0})
    serving = serve(Simulated(partitions=2, workers=2), config, folder / "shop")
    assert serving is not None
    return serving


def test_json_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "shop", "--state-dir", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["head"]["application"] == "shop"
    assert len(document["tasks"]["id"]) == 6


def test_without_a_terminal_it_prints_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["top", "shop", "--state-dir", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("shop  RUNNING")
    assert "\x1b" not in shown


def test_an_application_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["top", "shop", "--state-dir", str(tmp_path)]) == 1
    assert "no process on this machine serves the application 'shop'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("key", "code"), [(b"q", 0), (CTRL_C, 130)], ids=["q", "ctrl-c"])
def test_it_draws_resizes_and_leaves_the_terminal_as_it_was(
    folder: Path, key: bytes, code: int
) -> None:
    terminal = Terminal("top", "shop", "--state-dir", str(folder), home=folder)
    terminal.read_until(lambda text: "worker-1" in text)
    assert "\x1b[?1049h" in terminal.text
    before = len(terminal.text)
    size = struct.pack("HHHH", 10, 40, 0, 0)
    fcntl.ioctl(terminal._master, termios.TIOCSWINSZ, size)
    os.kill(terminal._process.pid, signal.SIGWINCH)
    terminal.read_until(lambda text: "shop  RUNNING" in text[before:])
    terminal.press(key)
    assert terminal.exit_code() == code
    assert terminal.text.rstrip().endswith("\x1b[?1049l")
    assert "Traceback" not in terminal.text


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGTSTP, signal.SIGSTOP], ids=["ctrl-z", "sigstop"])
def test_ctrl_z_gives_the_terminal_back_and_fg_draws_again(
    folder: Path, stop: signal.Signals
) -> None:
    command = ["top", "shop", "--state-dir", str(folder)]
    terminal = Terminal(*command, home=folder, under_shell=True)
    before = termios.tcgetattr(terminal._master)
    terminal.read_until(lambda text: "worker-1" in text)
    assert not termios.tcgetattr(terminal._master)[3] & termios.ECHO
    if stop is signal.SIGTSTP:
        terminal.press(CTRL_Z)
    else:
        os.kill(terminal.child(), stop)
    terminal.read_until(lambda text: "stopped by" in text)
    if stop is signal.SIGTSTP:
        assert terminal.text.rindex("\x1b[?1049l") < terminal.text.index("stopped by")
        assert termios.tcgetattr(terminal._master)[3] == before[3]
    seen = len(terminal.text)
    os.kill(terminal.child(), signal.SIGCONT)
    terminal.read_until(lambda text: "\x1b[?1049h" in text[seen:] and "worker-1" in text[seen:])
    assert not termios.tcgetattr(terminal._master)[3] & termios.ECHO
    terminal.press(b"q")
    assert terminal.exit_code() == 0
    assert terminal.text.rstrip().endswith("\x1b[?1049l")
    assert "Traceback" not in terminal.text


@pytest.mark.slow
def test_in_the_background_it_waits_and_leaves_the_terminal_to_the_shell(folder: Path) -> None:
    terminal = Terminal(home=folder, program=["/bin/sh", "-i"])

    def said(line: str, answer: str) -> str:
        """Type a line; return what is written from it to the answer."""
        before = len(terminal.text)
        terminal.press(line.encode() + b"\n")
        terminal.read_until(lambda text: answer in text[before:])
        return terminal.text[before:]

    def modes(name: str) -> list[str]:
        shown = said(f"stty -a; echo {name}-$((1 + 1))", f"{name}-2")
        return [line for line in shown.splitlines() if "icanon" in line]

    first = modes("first")
    said(shlex.join(command("top", "shop", "--state-dir", str(folder))), "worker-1")
    terminal.press(CTRL_Z)
    terminal.read_until(lambda text: "Stopped" in text)
    # Longer than it waits between two looks at the terminal.
    background = said("bg; sleep 0.5; echo background-$((1 + 1))", "background-2")
    assert "\x1b[H" not in background
    assert modes("second") == first
    assert "\x1b[?1049h" in said("fg", "worker-1")
    seen = len(terminal.text)
    terminal.press(b"q")
    terminal.read_until(lambda text: "\x1b[?1049l" in text[seen:])
    said("echo code-$?-$((1 + 1))", "code-0-2")
    assert modes("third") == first
    terminal.press(b"exit\n")
    assert terminal.exit_code() == 0
    assert "Traceback" not in terminal.text
    assert terminal.text.count("\x1b[?1049h") == terminal.text.count("\x1b[?1049l") == 2


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_ctrl_z_in_its_last_moment_leaves_the_terminal_as_it_was(
    monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """In a process that no Ctrl-Z stops, as if it had been continued at once."""
    master, slave = pty.openpty()
    written: list[str] = []
    stops: list[str] = []

    def write(self: WholeScreen, text: str) -> None:
        for now in ("before", "after"):
            if "1049l" in text and now == moment and not stops:
                stops.append(now)
                self.on_stop(signal.SIGTSTP, None)
            if now == "before":
                written.append(text)

    monkeypatch.setattr(WholeScreen, "write", write)
    monkeypatch.setattr(os, "kill", lambda *_arguments: None)
    with os.fdopen(slave) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        before = termios.tcgetattr(slave)
        with whole_screen():
            assert not termios.tcgetattr(slave)[3] & termios.ECHO
        assert termios.tcgetattr(slave) == before
    os.close(master)
    assert stops == [moment]
    assert ["1049h" in text for text in written] == [True, False]


def test_a_change_of_the_terminal_that_a_stop_interrupts_is_made_again() -> None:
    errors = [termios.error(errno.EIO, "it is gone"), termios.error(errno.EINTR, "interrupted")]

    def change() -> None:
        raise errors.pop()

    with pytest.raises(termios.error, match="it is gone"):
        _unless_stopped(change)


@pytest.mark.slow
def test_the_end_of_the_application_ends_it(tmp_path: Path) -> None:
    serving = served(tmp_path)
    terminal = Terminal("top", "shop", "--state-dir", str(tmp_path), home=tmp_path)
    terminal.read_until(lambda text: "worker-1" in text)
    serving.close()
    assert terminal.exit_code() == 1
    assert "does not answer" in terminal.text
