"""docs/troubleshooting.md: every message is one of ours, as the code has it today."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from tests.docs.blocks import DOCS, blocks_of
from tests.docs.docstrings import PACKAGE

PAGE = DOCS / "troubleshooting.md"
ANY = "…"


@functools.cache
def messages() -> list[str]:
    """Return all texts of the code, `…` for what is filled in."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.JoinedStr):
                parts = (
                    part.value if isinstance(part, ast.Constant) else ANY for part in node.values
                )
                found.append(masked("".join(map(str, parts))))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(masked(node.value))
    return found


def masked(text: str) -> str:
    return re.sub(r"%[-.\d]*[a-z]", ANY, text)


def shown() -> list[str]:
    return [block.text.strip() for block in blocks_of(PAGE, "text")]


def test_every_message_is_in_the_code() -> None:
    unknown = [text for text in shown() if not any(text in message for message in messages())]
    assert unknown == []


def test_there_are_many_and_each_has_a_cause_and_a_cure() -> None:
    sections = Path(PAGE).read_text("utf-8").split("\n### ")[1:]
    assert len(sections) >= 25
    without = [
        section.splitlines()[0]
        for section in sections
        if "**Cure.**" not in section or ("```text" in section and "**Cause.**" not in section)
    ]
    assert without == []


def test_a_message_that_is_none_would_be_noticed() -> None:
    assert not any("state store … is on holiday" in message for message in messages())
