"""The fenced blocks of a page of the documentation, and how its programs are run.

The Python blocks of a page are one program, run from top to bottom in one namespace. What a block
prints stands in the `text` block behind it, and is compared. A block whose title is the name of a
file is that file in the working directory; a Python one is run as a module, so that what stands
under `__main__` is not.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"^(?P<ticks>`{3,})(?P<language>\w*)(?P<rest>.*)\n(?P<text>(?s:.*?))^(?P=ticks)$", re.M
)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the name of the file it is, if any, and its text."""

    language: str
    title: str | None
    line: int
    text: str


def pages() -> list[Path]:
    """Return all pages of the site that are written in docs/."""
    return sorted(DOCS.rglob("*.md"))


def name_of(page: Path) -> str:
    """Return a page's path in docs/."""
    return page.relative_to(DOCS).as_posix()


def blocks_of(page: Path, *languages: str) -> list[Block]:
    """Return the blocks of a page, of these languages or of all."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        title = _TITLE.search(fence["rest"])
        line = text.count("\n", 0, fence.start("text"))
        found.append(Block(fence["language"], title and title[1], line, fence["text"]))
    return [block for block in found if not languages or block.language in languages]


def run_page(page: Path, names: dict[str, Any] | None = None) -> None:
    """Run the Python blocks of a page and compare what they print with what the page shows."""
    namespace: dict[str, Any] = dict(names or {})
    for file in blocks_of(page):
        if file.title is not None:
            Path(file.title).write_text(file.text, encoding="utf-8")
    for block, shown in _with_outputs(blocks_of(page)):
        namespace["__name__"] = "__main__" if block.title is None else Path(block.title).stem
        printed = io.StringIO()
        # Empty lines in front, so that an error is reported at the line of the page.
        code = compile("\n" * block.line + block.text, str(page), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        # A block that prints must be followed by what it prints.
        if printed.getvalue() != (shown or ""):
            msg = f"{page}:{block.line + 1} prints\n{printed.getvalue()}\nthe page shows\n{shown}"
            raise AssertionError(msg)


def _with_outputs(blocks: Iterable[Block]) -> Iterator[tuple[Block, str | None]]:
    """Yield each Python block with what it prints: the `text` block behind it, unless that is a
    command and its answer.
    """
    listed = list(blocks)
    for block, after in zip(listed, [*listed[1:], None], strict=True):
        if block.language == "python":
            shown = after is not None and after.language == "text" and after.text[:2] != "$ "
            yield block, after.text if shown and after is not None else None
