"""What workers write, as runs: each place has its own."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from penstock._engine.spark.batch.schemas import POSITION, RECORD, STORE, WRITTEN_ARROW
from penstock._engine.spark.batch.tasks.rows import Rows
from penstock._engine.spark.batch.tasks.sorted_runs import batches_in


def opened(batch: pa.RecordBatch) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return the rows of each run, with where it belongs."""
    return [
        (
            row,
            [one for held in batches_in(pa.py_buffer(row.pop("run"))) for one in held.to_pylist()],
        )
        for row in batch.to_pylist()
    ]


def test_a_record_has_the_largest_time_sent_to_its_partition_so_far_as_its_rank() -> None:
    rows = Rows(2)
    for time in (5, 3, 9):
        rows.add_record(("out", 0), b"k", None, time, ())
    rows.add_record(("out", 1), b"k", b"v", 1, (("h", b"x"),))
    (one, first), (other, second) = opened(rows.take())
    assert [(row["rank"], row["timestamp"]) for row in first] == [(5, 5), (5, 3), (9, 9)]
    place = {"kind": RECORD, "name": "out", "spark_partition": 2, "number": 0}
    assert one == {**place, "partition": 0}
    assert other == {**place, "partition": 1}
    assert "headers" not in first[0]
    assert second[0]["headers"] == [{"key": "h", "value": b"x"}]


def test_ranks_and_numbers_go_on_after_a_batch() -> None:
    rows = Rows(0)
    rows.add_record(("out", 0), None, None, 7, (("h", None),))
    rows.take()
    rows.add_record(("out", 0), None, None, 6, ())
    [(run, [row])] = opened(rows.take())
    assert (row["rank"], run["number"]) == (7, 1)
    assert "headers" not in row


def test_rows_of_all_kinds_travel_in_one_schema() -> None:
    rows = Rows(0)
    assert rows.take().num_rows == 0
    rows.add_store_row(("store", 1), b"k", b"v", None, (10, 20))
    rows.add_position(("in", 3), 12, "meta", 99)
    batch = rows.take()
    assert batch.schema == WRITTEN_ARROW
    (stored, [row]), (position, [read]) = opened(batch)
    assert (stored["kind"], row["start"], row["end"], row["timestamp"]) == (STORE, 10, 20, None)
    assert (position["kind"], read["next_offset"], read["metadata"]) == (POSITION, 12, b"meta")


def test_large_rows_fill_a_batch_early() -> None:
    rows = Rows(0)
    for _ in range(5):
        rows.add_record(("out", 0), None, b"x" * 4_000_000, 7, ())
    assert rows.is_full
    assert len(opened(rows.take())) == 5
