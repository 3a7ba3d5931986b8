"""The programs of README.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent.parent / "README.md"


def python_blocks() -> list[tuple[int, str]]:
    """Return line and text of each block fenced as Python."""
    text = README.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, block.start(1)), block[1])
        for block in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)
    ]


@pytest.mark.parametrize(("line", "program"), python_blocks(), ids=lambda part: f"{part}"[:5])
def test_a_program_of_the_readme_runs(
    line: int, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Empty lines in front, so that an error is reported at the line of the README.
    exec(compile("\n" * line + program, str(README), "exec"), {"__name__": "__main__"})


def test_the_readme_shows_a_program() -> None:
    assert python_blocks()
