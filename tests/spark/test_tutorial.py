"""docs/tutorial.md as a person does it: its files, its commands, on Spark and the local broker."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, blocks_of
from tests.terminal import CTRL_C, Terminal

pytestmark = pytest.mark.slow

PAGE = DOCS / "tutorial.md"
BIN = Path(sys.executable).parent
MOST_LINES = 30
WRITTEN = {"home": 2, "cart": 1}


def shell(command: str, folder: Path) -> str:
    """Run a command of the page as it stands."""
    environment = {**os.environ, "PENSTOCK_HOME": str(folder / "home")}
    environment["PATH"] = os.pathsep.join([str(BIN), environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def commands(*beginnings: str) -> list[str]:
    """Return the blocks of the page that begin so."""
    texts = [block.text.strip() for block in blocks_of(PAGE, "sh")]
    return [text for text in texts if text.startswith(beginnings)]


def test_the_program_is_as_short_as_the_page_says() -> None:
    (program,) = [block for block in blocks_of(PAGE, "python") if block.title == "views.py"]
    lines = len(program.text.splitlines())
    assert lines < MOST_LINES
    assert re.findall(r"type (\d+) lines", PAGE.read_text("utf-8")) == [str(lines)]


def test_the_tutorial_leads_to_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks_of(PAGE, "python"):
        assert block.title is not None
        (tmp_path / block.title).write_text(block.text)
    (test,) = commands("pytest")
    assert "1 passed" in shell(f"{test} -p no:cacheprovider", tmp_path)

    (produce,), (consume,) = commands("printf"), commands("penstock consume")
    assert commands("python views.py") == ["python views.py"]
    home = tmp_path / "home"
    application = Terminal("run", "views.py", home=home)
    try:
        application.read_until(lambda text: "RUNNING" in text)
        shell(produce, tmp_path)
        counts = Counter[str]()
        until = time.monotonic() + 120
        while counts != WRITTEN and time.monotonic() < until:
            application.read_until(lambda text: True)
            counts = last_counts(shell(f"{consume} --once", tmp_path))
        application.press(CTRL_C)
        assert application.exit_code() == 0, application.text
    finally:
        application.close()
    assert counts == WRITTEN
    (shown,) = [block.text for block in blocks_of(PAGE, "text")]
    assert last_counts(shown) == WRITTEN


def last_counts(printed: str) -> Counter[str]:
    """Add up the last count of each page and minute: the three views may be in two minutes."""
    last: dict[tuple[str, int], int] = {}
    for line in printed.splitlines():
        window, count = line.split("\t")
        row = json.loads(window)
        assert row["end"] - row["start"] == 60_000
        last[row["key"], row["start"]] = int(count)
    counts = Counter[str]()
    for (page, _), views in last.items():
        counts[page] += views
    return counts
