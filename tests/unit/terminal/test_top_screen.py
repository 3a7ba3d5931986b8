"""The screen of `penstock top`."""

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock._engine.http.console.snapshot import Watch
from penstock.terminal.top_screen import screen
from tests.console.simulated import Simulated


def seen(application: Simulated) -> dict[str, Any]:
    watch = Watch(application)
    return watch.sections(watch.look(1000, 1.0))


def test_it_shows_workers_stores_tasks_and_errors() -> None:
    application = Simulated(partitions=2, workers=2)
    application.fail()
    application.kill(1)
    application.restoring = {"0_1": 500}
    lines = screen(seen(application), 120, 60)
    text = "\n".join(lines)
    assert lines[0].startswith("shop  RUNNING  exactly_once_v2")
    assert "tasks 5 of 6, 1 restoring" in lines[1]
    for part in (
        "worker-1",
        "lost",
        "host-0 \u00b7 slot 0",
        "counts",
        "\u224858",
        "ValueError: boom at orders/0@42 (/app/shopboom.py:12)",
    ):
        assert part in text
    tasks = [line.split()[0] for line in lines if line[:2] in {"0_", "1_", "2_"}]
    assert tasks[0] == "0_1"
    assert len(tasks) == 6


def test_many_errors_of_a_kind_hide_no_other() -> None:
    application = Simulated(partitions=2, workers=1)
    application.fail(text="once")
    for _ in range(2):
        application.fail(kind="SerdeError", text="malformed", count=20)
    lines = screen(seen(application), 120, 60)
    header, many, once = lines[-3:]
    assert header.split() == ["ERRORS", "FIRST", "LAST", "THE", "LAST", "ONE"]
    assert re.fullmatch(r" +40  (\d\d:){2}\d\d  (\d\d:){2}\d\d  SerdeError: malformed at .*", many)
    assert once.split()[0] == "1"
    assert "ValueError: once" in once
    for number in range(5):
        application.fail(kind=f"E{number}")
    assert screen(seen(application), 120, 60)[-1] == "... and 2 more kinds"


@pytest.mark.parametrize(("width", "height"), [(120, 40), (80, 24), (20, 5), (1, 1), (200, 2)])
def test_it_fits(width: int, height: int) -> None:
    application = Simulated(partitions=100, workers=20)
    application.fail()
    lines = screen(seen(application), width, height)
    assert 1 <= len(lines) <= height
    assert max(map(len, lines)) <= width


def test_tasks_without_room_are_counted() -> None:
    lines = screen(seen(Simulated(partitions=100, workers=1)), 100, 30)
    assert any(line.startswith("... and 2") or " more" in line for line in lines)


def test_names_cannot_steer_the_terminal() -> None:
    application = Simulated(partitions=1, workers=1, hostile="\x1b[2J\x1b]0;owned\x07\n")
    application.fail(text="\x1b[31m\r\n")
    text = "".join(screen(seen(application), 200, 50))
    assert all(char.isprintable() for char in text)


def test_trouble_is_said() -> None:
    application = Simulated(partitions=1)
    application.trouble = "the broker has not answered for 5 s"
    assert "! the broker has not answered for 5 s" in screen(seen(application), 100, 20)
