"""The end of a partition is asked for until its transactions are decided, some seconds."""

from __future__ import annotations

import logging
from typing import Any, cast

import pytest

from penstock._engine.kafka.client import stable_ends as module
from penstock._engine.kafka.client.stable_ends import stable_ends

PLACE = ("in", 0)


def answering(stable: list[int], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let partitions end at 5, and for readers of committed records at these; return what is
    asked for.
    """
    asked: list[str] = []

    def end_offsets(_admin: Any, places: list[Any], isolation: str, _seconds: float) -> Any:
        asked.append(isolation)
        end = 5 if isolation == "read_uncommitted" else stable.pop(0)
        return dict.fromkeys(places, end)

    monkeypatch.setattr(module, "end_offsets", end_offsets)
    return asked


@pytest.mark.parametrize(("stable", "end"), [([5], 5), ([2, 3, 5], 5), ([3, 9], 9)])
def test_it_waits_for_what_is_written_already(
    stable: list[int], end: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(stable, monkeypatch)
    assert stable_ends(cast("Any", None), iter([PLACE])) == {PLACE: end}
    assert asked.count("read_uncommitted") == 1
    assert stable == []


def test_readers_of_all_records_wait_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answering([], monkeypatch)
    assert stable_ends(cast("Any", None), [PLACE], "read_uncommitted") == {PLACE: 5}
    assert asked == ["read_uncommitted"]


def test_a_transaction_that_stays_open_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    times = iter(range(1000))
    monkeypatch.setattr(module, "monotonic", lambda: float(next(times)))
    answering([3] * 9, monkeypatch)
    with caplog.at_level(logging.WARNING):
        assert stable_ends(cast("Any", None), [PLACE]) == {PLACE: 3}
    assert "topic=in partition=0 ends before an open transaction, at offset 3" in caplog.text
