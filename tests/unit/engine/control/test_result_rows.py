"""What a worker keeps of its outputs until a turn takes it."""

from __future__ import annotations

import pytest

from penstock._engine.control import result_rows
from penstock._engine.control.result_rows import FullRows, TimestampRows, rows_of
from penstock._engine.runtime.records import Output
from penstock.settings.values import RowKind

INTERNAL = frozenset({"app-repartition"})
OUTPUTS: list[Output] = [
    ("out", None, b"k", b"v", 5, (("h", b"1"),)),
    ("app-repartition", 0, b"k", b"v", 6, ()),
    ("out", 1, None, None, None, ()),
]


def test_timestamps_of_the_users_topics() -> None:
    rows = rows_of("timestamp")
    assert isinstance(rows, TimestampRows)
    first, now_ms = rows.of(OUTPUTS, INTERNAL)
    assert first == 5
    assert now_ms > 1_600_000_000_000
    rows.add(rows.of(OUTPUTS[:1], INTERNAL))
    rows.add(rows.of(OUTPUTS[:1], frozenset()))
    assert list(rows.take()) == [5, 5]
    assert list(rows.take()) == []


def test_whole_records_of_the_users_topics() -> None:
    rows = rows_of("full")
    assert isinstance(rows, FullRows)
    first, second = rows.of(OUTPUTS, INTERNAL)
    assert first == OUTPUTS[0]
    assert second[:4] == OUTPUTS[2][:4]
    assert second[4] is not None
    rows.add([first])
    rows.add([second])
    assert rows.take() == [first, second]
    assert rows.take() == []


@pytest.mark.parametrize("kind", ["timestamp", "full"])
def test_the_oldest_are_dropped(kind: RowKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_rows, "_ROWS_KEPT", 3)
    rows = rows_of(kind)
    for time in range(5):
        rows.add(rows.of([("out", None, b"k", b"v", time, ())], INTERNAL))
    kept = [row if isinstance(row, int) else row[4] for row in rows.take()]
    assert kept == [2, 3, 4]


def test_large_records_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_rows, "_BYTES_KEPT", 10_000)
    rows = FullRows()
    large: list[Output] = [("out", None, b"k", bytes(4000), time, ()) for time in range(4)]
    rows.add(large)
    assert [row[4] for row in rows.take()] == [2, 3]
    rows.add([("out", None, b"k", bytes(20_000), 9, ())])  # one that does not fit is not shown
    assert rows.take() == []
    rows.add(large[:2])
    assert len(rows.take()) == 2
