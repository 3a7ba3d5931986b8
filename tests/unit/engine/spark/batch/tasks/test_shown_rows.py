"""Runs become rows: records of several tasks are numbered in their order."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from conformance.dataframes.without_spark import FEED
from penstock._engine.spark.batch.schemas import RECORD
from penstock._engine.spark.batch.tasks.rows import Rows
from penstock._engine.spark.batch.tasks.shown_rows import (
    as_times,
    show_records,
    show_rows,
    show_topic,
)

NAMED = pa.schema([("name", pa.string()), *list(FEED)[1:]])


def written() -> pa.RecordBatch:
    """Return what two tasks have written."""
    rows = []
    for sender, times in enumerate(([5, 8], [6, 1])):
        made = Rows(sender)
        for time in times:
            made.add_record(("out", 1), b"k", None, time, (("h", b"x"),) if time == 8 else ())
        made.add_record(("other", 0), None, b"v", 3, ())
        rows += [
            {**row, "sender": row["spark_partition"]}
            for row in made.take().to_pylist()
            if row["kind"] == RECORD
        ]
    return pa.RecordBatch.from_pylist(rows[::-1], schema=NAMED)


def test_records_of_several_tasks_get_their_offsets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    rows = [row for batch in show_records([written()]) for row in batch.to_pylist()]
    shown = [
        (row["topic"], row["partition"], row["offset"], round(row["timestamp"].timestamp() * 1000))
        for row in rows
    ]
    assert shown == [
        ("other", 0, 0, 3),
        ("other", 0, 1, 3),
        ("out", 1, 0, 5),
        ("out", 1, 1, 6),
        ("out", 1, 2, 1),
        ("out", 1, 3, 8),
    ]
    assert [row["headers"] for row in rows][-2:] == [None, [{"key": "h", "value": b"x"}]]
    assert list(tmp_path.iterdir()) == []
    of_topics = [row for batch in show_topic([written()]) for row in batch.to_pylist()]
    assert [
        {"topic": row["topic"], **one} for row, one in zip(rows, of_topics, strict=True)
    ] == rows


def test_times_beyond_those_of_spark_are_null() -> None:
    last = (2**63 - 1) // 1000
    times = as_times(pa.array([0, last, last + 1, 2**63 - 1, -last, -last - 1], pa.int64()))
    known = [0, last * 1000, None, None, -last * 1000, None]
    assert times.view(pa.int64()).to_pylist() == known


def test_rows_are_shown_as_they_are() -> None:
    rows = [
        row
        for batch in show_rows(["timestamp"], "topic", "sequence")([written()])
        for row in batch.to_pylist()
    ]
    of_out = [row for row in rows if row["topic"] == "out"]
    assert [(row["sequence"], row["timestamp"]) for row in of_out] == [
        (0, 6),
        (1, 1),
        (0, 5),
        (1, 8),
    ]
