"""The programs and the commands of the pages in docs/ are as they say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from penstock.capacity import FORMULAS
from penstock.cli import COMMANDS, main

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "docs" / name for name in ("cli.md", "capacity.md")]


def blocks(language: str) -> list[tuple[str, int, str]]:
    """Give page, line and text of each block that is fenced as `language`."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.M | re.S)
    return [
        (page.name, text.count("\n", 0, block.start(1)), block[1])
        for page in PAGES
        for text in (page.read_text(encoding="utf-8"),)
        for block in pattern.finditer(text)
    ]


@pytest.mark.parametrize(("page", "line", "program"), blocks("python"))
def test_a_program_of_a_page_runs(page: str, line: int, program: str) -> None:
    exec(compile("\n" * line + program, page, "exec"), {"__name__": "__main__"})


def test_every_command_is_on_its_page() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`penstock {name}" not in text] == []


def test_every_formula_is_on_its_page() -> None:
    text = (ROOT / "docs" / "capacity.md").read_text(encoding="utf-8")
    assert [name for name in FORMULAS if f"| `{name}` |" not in text] == []


def test_the_plan_that_is_shown_is_the_plan(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.chdir(ROOT)
    (shown,) = [text for _, _, text in blocks("text") if text.startswith("$ penstock plan")]
    command, _, expected = shown.partition("\n")
    assert main(command.removeprefix("$ penstock ").split()) == 0
    # How many cores there are is this machine's own affair.
    printed, cores = capsys.readouterr().out, re.compile(r"\d+ slots? .*")
    assert cores.sub("", printed) == cores.sub("", expected)
