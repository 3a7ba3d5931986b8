"""An extension of the documentation site: the examples of docstrings become blocks of code.

Docstrings are plain text with `>>>` in it, as `help()` shows them. Markdown would take such lines
for quotations.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!$).*)*", re.M)


class FencedExamples(griffe.Extension):
    """Puts fences around examples."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Return a docstring with its examples in fences; those that are in fences stay."""
    parts = re.split(r"(^```.*?^```$)", docstring, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else _EXAMPLE.sub(_block, part) for part in parts)


def _block(example: re.Match[str]) -> str:
    text = example[0].replace("<BLANKLINE>", "")
    return f"\n```pycon\n{text.rstrip()}\n```\n"
