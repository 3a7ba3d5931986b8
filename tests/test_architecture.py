"""The tree keeps its laws: the map resolves, and each library and the clock have one place.

The import contracts in pyproject.toml say which of our folders may import which; here is what they
do not see.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

pytestmark = pytest.mark.architecture

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "penstock"
MODULES = sorted(PACKAGE.rglob("*.py"))
STUBS = sorted(PACKAGE.rglob("*.pyi"))

LIBRARIES = {
    "pyspark": "_engine/spark",
    "py4j": "_engine/spark",
    "confluent_kafka": "_engine/kafka",
    "rocksdict": "_engine/state/rocksdb",
}
# What an admin client may be asked while brokers come and go (decision 0011).
SAFE_REQUESTS = {
    "create_partitions",
    "create_topics",
    "delete_records",
    "delete_topics",
    "describe_configs",
    "describe_topics",
    "incremental_alter_configs",
    "list_offsets",
    "list_topics",
}
SAFE_WITHOUT_TIMEOUT = {
    "alter_consumer_group_offsets",
    "delete_consumer_groups",
    "describe_consumer_groups",
}
ASKS_THE_TIME = {
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"},
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
    "uuid": {"uuid1", "uuid4"},
}


def station_names() -> list[tuple[str, str]]:
    """Return every `file.py: function` that ARCHITECTURE.md names."""
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


def rows_of(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading of ARCHITECTURE.md, without its head."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_record_s_way_enters_no_folder_twice() -> None:
    rows = rows_of("The record's way")
    assert 10 <= len(rows) <= 15
    folders = [re.findall(r"`([\w/]+)/\w+\.py: ?\w+`", row[2])[0] for row in rows]
    entered = [folder for folder, _ in itertools.groupby(folders)]
    assert entered == list(dict.fromkeys(entered))


def test_the_folders_of_the_map_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.partition("```\n")[2].partition("```")[0]
    drawn = set(re.findall(r"\b(\w+)/(?:\s|$)", tree, re.M)) - {"_engine"}
    there = {path.name for path in PACKAGE.rglob("*") if (path / "__init__.py").exists()}
    assert sorted(drawn - there) == []
    engine = {path.name for path in (PACKAGE / "_engine").iterdir() if path.is_dir()}
    assert sorted(engine - drawn - {"__pycache__"}) == []


def test_the_modules_of_the_map_are_all_public_ones() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.partition("```\n")[2].partition("_engine/")[0]
    drawn = set(re.findall(r"(?<![\w/])(\w+\.py)\b", tree))
    there = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("_")}
    assert sorted(drawn ^ there) == []


def test_the_first_law_has_all_folders_in_the_order_of_the_import_contract() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    chain = re.findall(r"Imports point down: `([^`]+)`", text)[0]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}
    layers = [re.findall(r"\w+", layer) for layer in contracts["engine"]["layers"]]
    assert [sorted(layer.split(", ")) for layer in chain.split(" → ")] == [*map(sorted, layers)]


def test_the_glossary_is_short() -> None:
    assert 10 <= len(rows_of("Glossary")) <= 25


def test_the_files_that_contributors_are_sent_to_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/.]+(?:/|\.(?:py|md|yml)))`", text))
    homes = (ROOT, PACKAGE, PACKAGE / "_engine")
    assert "planner/lower.py" in named
    assert sorted(name for name in named if not any((home / name).exists() for home in homes)) == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_imported_in_its_folder_only(library: str) -> None:
    home = PACKAGE / LIBRARIES[library]
    elsewhere = [
        f"{_shown(path)}:{line}"
        for path in (*MODULES, *STUBS)
        if not path.is_relative_to(home)
        for line, name in imports_of(path)
        if name.partition(".")[0] == library
    ]
    assert elsewhere == []


def test_an_admin_client_is_asked_only_what_cannot_end_the_process() -> None:
    """Requests to a coordinator go through `ask_coordinator`, which lets none of them time out."""
    requests = {name for name in dir(AdminClient) if not name.startswith("_")}
    risky = requests - SAFE_REQUESTS - {"cluster_id", "poll"}
    assert risky >= SAFE_WITHOUT_TIMEOUT
    found = []
    for path in MODULES:
        nodes = list(ast.walk(_tree(path)))
        lasting = {
            node.args[0]
            for node in nodes
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "ask_coordinator"
        }
        found += [
            f"{_shown(path)}:{node.lineno}"
            for node in nodes
            if isinstance(node, ast.Attribute)
            and node.attr in risky
            and not (node in lasting and node.attr in SAFE_WITHOUT_TIMEOUT)
        ]
    assert found == []


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


def test_only_the_clock_of_c_asks_for_the_time() -> None:
    asks = re.compile(
        r"\b(clock_gettime|gettimeofday|clock|time|ftime|timespec_get)\s*\(|<time\.h>"
    )
    sources = sorted((PACKAGE / "_engine" / "fast").glob("*.[ch]"))
    assert [path.name for path in sources if asks.search(_code(path))] == ["clock.h"]


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and name of each import that happens: those for type checkers only do not."""
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


def _code(path: Path) -> str:
    """Return a source in C without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S)


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT))
