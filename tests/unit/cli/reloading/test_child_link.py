"""What a child and its parent say to each other."""

from __future__ import annotations

import importlib
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TypeAlias

import pytest

from penstock.cli.reloading.child_link import ChildEnd, ParentEnd, Report
from penstock.cli.reloading.program_files import ProgramFiles, version_of
from tests.meanwhile import at_collections, names_of_many

Ends: TypeAlias = tuple[ChildEnd, ParentEnd]


@pytest.fixture
def ends() -> Iterator[Ends]:
    theirs, ours = socket.socketpair()
    with theirs, ours:
        child = ChildEnd(theirs, os.getpid())
        # The modules of a whole suite are more than a socket holds that is not read meanwhile.
        child._seen |= sys.modules.keys()
        yield child, ParentEnd(ours)


def test_each_file_of_the_program_is_reported_once(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    child, parent = ends
    for name in ("pricing", "pricing_rules"):
        made = ModuleType(name)
        made.__file__ = str(tmp_path / f"{name}.py")
        monkeypatch.setitem(sys.modules, name, made)
    child.report_now()
    expected = {os.path.realpath(tmp_path / f"{name}.py") for name in ("pricing", "pricing_rules")}
    assert parent.read() == Report(dict.fromkeys(expected))
    child.report_now()
    assert parent.read() == Report()


def test_other_threads_may_import_modules_during_a_report(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    child, parent = ends
    modules = {name: ModuleType(name) for name in names_of_many()}
    monkeypatch.setattr("penstock.cli.reloading.child_link.sys", SimpleNamespace(modules=modules))

    def change() -> None:
        if modules.pop("new", None) is None:
            modules["new"] = ModuleType("new")

    with at_collections(change):
        child.report_now()
    assert parent.read() == Report()


def test_a_file_is_reported_as_it_was_when_the_child_looked(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The parent may read it late: it starts a broker, say, which can take minutes."""
    child, parent = ends
    made, file = ModuleType("pricing"), tmp_path / "pricing.py"
    file.write_text("PRICE = 1")
    made.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "pricing", made)
    child.report_now()
    before = version_of(str(file))
    file.write_text("PRICE = 100")
    files = ProgramFiles()
    files.add(parent.read().files)
    assert before != version_of(str(file))
    assert files.changed() == str(file)


def test_packages_without_a_file_and_files_of_an_error_are_reported(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    child, parent = ends
    for name in ("parts", "whole"):
        (tmp_path / name).mkdir()
    (tmp_path / "whole" / "__init__.py").write_text("from . import broken")
    (tmp_path / "whole" / "broken.py").write_text("(")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        importlib.import_module("parts")
        importlib.import_module("whole")
    except SyntaxError:
        child.end()
    finally:
        sys.modules.pop("parts", None)
    report = parent.read()
    assert str(tmp_path / "parts") in report.folders
    assert {str(tmp_path / "whole" / f"{name}.py") for name in ("__init__", "broken")} <= set(
        report.files
    )
    assert parent.ended


def test_the_child_waits_for_the_broker(ends: Ends) -> None:
    child, parent = ends
    waiting = threading.Thread(target=child.open_broker)
    waiting.start()
    asked = False
    while not asked:
        asked = parent.read().asks_for_broker
    assert waiting.is_alive()
    parent.answer_broker()
    waiting.join(10)
    assert not waiting.is_alive()


def test_a_parent_that_is_gone_is_no_error(ends: Ends) -> None:
    child, parent = ends
    parent.channel.close()
    child.report_now()
    child.open_broker()
