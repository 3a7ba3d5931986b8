"""What users import: complete, documented, tried out, and light."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import pkgutil
import re
import subprocess
import sys
from types import ModuleType

import pytest

import penstock
from tests.docs.docstrings import FLAGS, examples_of, modules

NO_API = {"application_states", "terminal"}
"""Modules that serve others of ours, and nothing that users import."""
PUBLIC = [penstock] + [
    importlib.import_module(f"penstock.{module.name}")
    for module in pkgutil.iter_modules(penstock.__path__)
    if not module.name.startswith("_") and module.name not in NO_API
]
NEEDS_MORE = ("penstock._engine.spark", "penstock._engine.kafka", "penstock._engine.state.rocksdb")
"""Packages that need a library which may be absent."""


def constants_classes_functions(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[0].isupper(), name


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_what_is_exported_is_there_and_sorted(module: ModuleType) -> None:
    assert module.__all__ == sorted(module.__all__, key=constants_classes_functions)
    assert len(module.__all__) == len(set(module.__all__))
    for name in module.__all__:
        assert hasattr(module, name)


def public_things() -> list[tuple[str, object]]:
    """Return every exported class and function, and the public methods of the classes."""
    things: list[tuple[str, object]] = []
    for module in PUBLIC:
        for name in module.__all__:
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            things.append((f"{module.__name__}.{name}", thing))
            if inspect.isclass(thing):
                things += [
                    (f"{module.__name__}.{name}.{method}", value)
                    for method, value in vars(thing).items()
                    if not method.startswith("_") and inspect.isfunction(value)
                ]
    return things


def test_everything_public_is_documented() -> None:
    silent = [name for name, thing in public_things() if not inspect.getdoc(thing)]
    assert silent == []


def test_docstrings_are_sentences() -> None:
    """A docstring that was wrapped by a careless tool has quotation marks inside."""
    broken = [
        name
        for name, thing in public_things()
        if re.search(r' "\n\s*"\w', inspect.getdoc(thing) or "")
    ]
    assert broken == []


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_docstrings_are_true(name: str) -> None:
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said = io.StringIO()
    try:
        for examples in examples_of(name):
            runner.run(examples, out=said.write)
    except ImportError as error:
        if name.startswith(NEEDS_MORE) or name.endswith("__main__"):
            pytest.skip(str(error))
        raise
    assert runner.summarize(verbose=False).failed == 0, said.getvalue()


@pytest.mark.slow
def test_importing_penstock_is_light() -> None:
    program = (
        "import sys, penstock, penstock.testing\n"
        "heavy = {'pyspark', 'py4j', 'confluent_kafka', 'rocksdict', 'pyarrow'}\n"
        "print(*sorted(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.slow
def test_importing_penstock_writes_nothing_and_starts_nothing() -> None:
    program = "import threading, penstock; assert threading.active_count() == 1"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
