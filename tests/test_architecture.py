"""The tree keeps its laws: the map resolves, and each library and the clock have one place.

The import contracts in pyproject.toml say which of our folders may import which; here is what they
do not see.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.architecture

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "penstock"
MODULES = sorted(PACKAGE.rglob("*.py"))

LIBRARIES = {
    "pyspark": "_engine/spark",
    "py4j": "_engine/spark",
    "confluent_kafka": "_engine/kafka",
    "rocksdict": "_engine/state/rocksdb",
}
ASKS_THE_TIME = {
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"},
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
    "uuid": {"uuid1", "uuid4"},
}


def station_names() -> list[tuple[str, str]]:
    """Give every `file.py: function` that ARCHITECTURE.md names."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return re.findall(r"`([\w/]+\.py) ?: ?(\w+)`", text)


def functions_of(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(_tree(path)) if isinstance(node, kinds)}


@pytest.mark.parametrize(("file", "function"), station_names(), ids=str)
def test_every_station_of_the_record_s_way_is_there(file: str, function: str) -> None:
    places = [PACKAGE / file, PACKAGE / "_engine" / file]
    found = [path for path in places if path.exists()]
    assert found, f"ARCHITECTURE.md names {file}, which is neither in penstock nor in its engine"
    assert function in functions_of(found[0]), f"ARCHITECTURE.md names {file}: {function}"


def test_the_map_has_the_record_s_way() -> None:
    assert len(station_names()) >= 10


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_imported_in_its_folder_only(library: str) -> None:
    home = PACKAGE / LIBRARIES[library]
    elsewhere = [
        f"{_shown(path)}:{line}"
        for path in MODULES
        if not path.is_relative_to(home)
        for line, name in imports_of(path)
        if name.partition(".")[0] == library
    ]
    assert elsewhere == []


def test_only_the_clock_asks_for_the_time_or_for_chance() -> None:
    elsewhere = [
        f"{_shown(path)}:{node.lineno}"
        for path in MODULES
        if path != PACKAGE / "_clock.py"
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in ASKS_THE_TIME.get(node.value.id, set())
    ]
    assert elsewhere == []


def test_nothing_brings_the_time_in_by_another_name() -> None:
    elsewhere = [
        f"{_shown(path)}:{node.lineno}"
        for path in MODULES
        if path != PACKAGE / "_clock.py"
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom) and node.module in {"time", "random"}
    ]
    assert elsewhere == []


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Give line and name of each import that happens: those for type checkers only do not."""
    tree = _tree(path)
    for_checkers = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in for_checkers:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.lineno, node.module


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT))
