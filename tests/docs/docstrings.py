"""The examples of docstrings, each with the names that they share.

Those names are the Python block of docs/reference/api/index.md, run anew for each docstring. An
example of a public module sees them alone, so that a reader can paste it; one of an internal module
also sees what its module imports.
"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import penstock
from tests.docs.blocks import DOCS, blocks_of

PACKAGE = Path(penstock.__path__[0])
NAMES_PAGE = DOCS / "reference" / "api" / "index.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL

INTERNAL = ("penstock.cli.", "penstock.serdes.names", "penstock.serdes.plain")
"""Modules of which users import nothing, besides those with an underscore."""

_PARSER = doctest.DocTestParser()


def modules() -> list[str]:
    """Return the names of all modules, without importing them."""
    files = [path.relative_to(PACKAGE.parent) for path in sorted(PACKAGE.rglob("*.py"))]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]


def file_of(module: str) -> Path:
    """Return the file of a module."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def shared_names() -> dict[str, Any]:
    """Return the names of the examples, with a builder of their own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(_code(), names)
    return names


def examples_of(module: str) -> Iterator[doctest.DocTest]:
    """Yield the examples of each docstring of a module, those of attributes included."""
    path = file_of(module)
    internal = "._" in module or module.startswith(INTERNAL)
    for line, text in docstrings_of(path):
        if ">>>" not in text:
            continue
        names = {**vars(importlib.import_module(module))} if internal else {}
        names.update(shared_names())
        yield _PARSER.get_doctest(text, names, f"{module}:{line}", str(path), line - 1)


def docstrings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of all docstrings, those of attributes included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


@functools.cache
def _code() -> CodeType:
    (block,) = blocks_of(NAMES_PAGE, "python")
    return compile("\n" * block.line + block.text, str(NAMES_PAGE), "exec")
