"""What a child and its parent say to each other."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

from penstock.cli.reloading.child_link import ChildEnd, ParentEnd

Ends: TypeAlias = tuple[ChildEnd, ParentEnd]


@pytest.fixture
def ends() -> Iterator[Ends]:
    theirs, ours = socket.socketpair()
    with theirs, ours:
        yield ChildEnd(theirs, os.getpid()), ParentEnd(ours)


def test_each_file_of_the_program_is_reported_once(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    child, parent = ends
    child.report_now()
    parent.read()
    for name in ("pricing", "pricing_rules"):
        made = ModuleType(name)
        made.__file__ = str(tmp_path / f"{name}.py")
        monkeypatch.setitem(sys.modules, name, made)
    child.report_now()
    expected = {os.path.realpath(tmp_path / f"{name}.py") for name in ("pricing", "pricing_rules")}
    assert parent.read() == (expected, False)
    child.report_now()
    assert parent.read() == (set(), False)


def test_the_child_waits_for_the_broker(ends: Ends) -> None:
    child, parent = ends
    waiting = threading.Thread(target=child.open_broker)
    waiting.start()
    asked = False
    while not asked:
        _, asked = parent.read()
    assert waiting.is_alive()
    parent.answer_broker()
    waiting.join(10)
    assert not waiting.is_alive()


def test_a_parent_that_is_gone_is_no_error(ends: Ends) -> None:
    child, parent = ends
    parent.channel.close()
    child.report_now()
    child.open_broker()
