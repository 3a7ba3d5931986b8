"""The API reference: every public name has a page, an example and types."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from penstock import KafkaStreams
from penstock.broker import LocalBroker
from scripts.reference.java_names import NOT_FOR_USERS
from scripts.site_docstrings import fenced
from tests.docs.blocks import DOCS, blocks_of
from tests.docs.docstrings import docstrings_of, file_of, modules
from tests.test_exports import PUBLIC

PAGES = DOCS / "reference" / "api"
ANY = object()
"""An argument."""

RUN_ELSEWHERE = {
    "penstock.KafkaStreams": "tutorial.md",
    "penstock.spark.Typed": "dataframes.md",
    "penstock.spark.backfill": "backfill.md",
    "penstock.spark.history": "backfill.md",
    "penstock.spark.history_ends": "backfill.md",
    "penstock.spark.read": "spark/topics.md",
    "penstock.spark.read_stream": "spark/topics.md",
    "penstock.spark.run": "dataframes.md",
    "penstock.spark.state": "spark/state-as-tables.md",
    "penstock.spark.write_stream": "spark/sink.md",
}
"""Names whose example needs Spark and Kafka, and the page whose programs use them and are run."""

NEEDS_CLUSTER = {
    "penstock.broker.BrokerError",
    "penstock.broker.LocalBroker",
    "penstock.broker.local_cluster",
    "penstock.broker.make_missing_topics",
    "penstock.queries.ReadOnlyKeyValueStore",
    "penstock.queries.ReadOnlySessionStore",
    "penstock.queries.ReadOnlyVersionedStore",
    "penstock.queries.ReadOnlyWindowStore",
    "penstock.spark.register",
    *RUN_ELSEWHERE,
}
"""Names whose docstring has an example that is not run there."""

ONE_EXAMPLE = {
    "BytesReader": "the engine in the docstring of penstock.stores.engine",
    "Connection": "its transaction",
    "KafkaStreams": "docs/how-to/query-the-state.md",
    "LocalBroker": "the whole life of a broker",
    "OutboxRelay": "docs/how-to/outbox.md",
    "ReadOnlyKeyValueStore": "docs/how-to/query-the-state.md",
    "ReadOnlySessionStore": "docs/how-to/query-the-state.md",
    "ReadOnlyVersionedStore": "docs/how-to/query-the-state.md",
    "ReadOnlyWindowStore": "docs/how-to/query-the-state.md",
    "StandbyUpdateListener": "docs/how-to/monitoring.md",
    "StoreEngine": "the engine in the docstring of penstock.stores.engine",
    "StreamsConfig": "docs/reference/settings.md",
}
"""Classes whose methods have no examples of their own, and where they are shown."""


@functools.cache
def public_names() -> dict[str, Any]:
    """Return every exported name, modules aside, under the first module that exports it."""
    found: dict[str, Any] = {}
    for module in PUBLIC:
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.ismodule(thing) and not any(thing is each for each in found.values()):
                found[f"{module.__name__}.{name}"] = thing
    return found


@functools.cache
def on_pages() -> dict[str, Any]:
    """Return what the pages show, by path."""
    lines = "\n".join(page.read_text("utf-8") for page in PAGES.glob("*.md"))
    return {path: resolved(path) for path in re.findall(r"^::: (\S+)$", lines, re.M)}


def resolved(path: str) -> Any:
    module, _, name = path.rpartition(".")
    holder = importlib.import_module(module)
    return getattr(holder, name) if hasattr(holder, name) else importlib.import_module(path)


@functools.cache
def attribute_docstrings() -> dict[str, list[str]]:
    """Return the docstrings of all constants and aliases of modules, by their names."""
    found: dict[str, list[str]] = {}
    for module in modules():
        body = ast.parse(file_of(module).read_text("utf-8")).body
        for node, after in pairwise(body):
            match node, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name))
                    | ast.Assign(targets=[ast.Name(id=name)]),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found.setdefault(name, []).append(text)
    return found


def docs_of(path: str, thing: Any) -> list[str]:
    if inspect.isclass(thing) or inspect.isfunction(thing):
        return [thing.__doc__ or ""]
    return attribute_docstrings().get(path.rpartition(".")[2], [])


def methods() -> Iterator[tuple[str, Any]]:
    """Yield the methods and properties of all public classes that users call."""
    for path, kind in public_names().items():
        if not inspect.isclass(kind):
            continue
        for owner in kind.__mro__:
            if not owner.__module__.startswith("penstock"):
                continue
            for name, value in vars(owner).items():
                unwrapped = getattr(value, "__func__", getattr(value, "fget", value))
                # The default of a field may be a function, too.
                called = inspect.isfunction(unwrapped) and unwrapped.__name__ == name
                hidden = name in NOT_FOR_USERS.get(kind.__name__, ())
                if called and not name.startswith("_") and not hidden:
                    yield f"{path}.{name}", unwrapped


def test_a_public_name_is_on_a_page() -> None:
    shown: dict[str, list[Any]] = {}
    for path, thing in on_pages().items():
        shown.setdefault(path.rpartition(".")[2], []).append(thing)
    missing = [
        f"docs/reference/api needs a line '::: {path}'"
        for path, thing in public_names().items()
        if not any(
            each is thing or each == thing for each in shown.get(path.rpartition(".")[2], ())
        )
    ]
    assert not missing, "\n".join(missing)


def test_a_public_name_has_an_example() -> None:
    without = [
        path
        for path, thing in public_names().items()
        if path not in NEEDS_CLUSTER
        and not any(">>> " in text for text in docs_of(path, thing))
        # Of a contract the module has the example.
        and path not in {"penstock.state.BytesReader", "penstock.state.StoreEngine"}
    ]
    assert without == []


@pytest.mark.parametrize("path", sorted(NEEDS_CLUSTER))
def test_an_example_that_needs_a_cluster_can_be_read(path: str) -> None:
    (text,) = docs_of(path, resolved(path))
    (example,) = re.findall(r"^```python\n(.*?)^```$", inspect.cleandoc(text), re.M | re.S)
    assert path.rpartition(".")[2] in example or "streams.store" in example
    for call in ast.walk(ast.parse(example)):
        if isinstance(call, ast.Call) and (called := callee(ast.unparse(call.func))) is not None:
            keywords = {keyword.arg: ANY for keyword in call.keywords if keyword.arg is not None}
            inspect.signature(called).bind(*[ANY for _ in call.args], **keywords)


def callee(name: str) -> Any:
    """Return what an example calls, None if it is not ours."""
    owner, _, attribute = name.rpartition(".")
    if owner == "streams":
        return functools.partial(getattr(KafkaStreams, attribute), ANY)
    if owner == "broker":
        return functools.partial(getattr(LocalBroker, attribute), ANY)
    if owner in {"", "penstock.spark"}:
        return next((each for path, each in public_names().items() if path.endswith(name)), None)
    return None


@pytest.mark.parametrize(("path", "page"), RUN_ELSEWHERE.items())
def test_a_page_that_is_run_uses_the_name(path: str, page: str) -> None:
    programs = "".join(block.text for block in blocks_of(DOCS / page, "python"))
    assert re.search(rf"\b{path.rpartition('.')[2]}\(", programs), page


def test_every_verb_has_an_example() -> None:
    shown_as_one = tuple(f".{name}." for name in ONE_EXAMPLE)
    without = [
        path
        for path, function in methods()
        if function.__doc__ and ">>> " not in function.__doc__
        if not any(name in path for name in shown_as_one)
        if not re.search(r"Handler\.(handle|configure)", path)
    ]
    assert without == []


def test_everything_public_is_typed() -> None:
    functions = {path: each for path, each in public_names().items() if inspect.isfunction(each)}
    untyped = []
    for path, function in [*functions.items(), *methods()]:
        signature = inspect.signature(function)
        parameters = [
            name
            for name, parameter in signature.parameters.items()
            if parameter.annotation is parameter.empty and name not in {"self", "cls"}
        ]
        if parameters or signature.return_annotation is signature.empty:
            untyped.append(f"{path}{signature}")
    assert untyped == []


def test_examples_become_blocks_of_code() -> None:
    assert fenced("Say it.\n\n>>> 1 + 1\n2\n\nAnd more.") == (
        "Say it.\n\n\n```pycon\n>>> 1 + 1\n2\n```\n\n\nAnd more."
    )


def test_blocks_that_are_there_stay() -> None:
    block = "```python\n>>> 1\n```"
    assert fenced(block) == block


def test_no_example_of_a_docstring_is_skipped() -> None:
    skipped = [
        f"{Path(path).name}:{line}"
        for path in map(file_of, modules())
        for line, text in docstrings_of(path)
        if "+SKIP" in text
    ]
    assert skipped == []
