"""`penstock top` against a real server, in a real terminal."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import struct
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock import StreamsConfig
from penstock._engine.http.serving import Serving, serve
from penstock.cli import main
from tests.console.simulated import Simulated
from tests.terminal import CTRL_C, CTRL_Z, Terminal


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
def test_the_end_of_the_application_ends_it(tmp_path: Path) -> None:
    serving = served(tmp_path)
    terminal = Terminal("top", "shop", "--state-dir", str(tmp_path), home=tmp_path)
    terminal.read_until(lambda text: "worker-1" in text)
    serving.close()
    assert terminal.exit_code() == 1
    assert "does not answer" in terminal.text
