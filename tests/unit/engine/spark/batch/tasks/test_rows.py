"""What workers write, as runs: each place has its own."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from penstock._engine.runtime.records import Output
from penstock._engine.spark.batch.schemas import POSITION, RECORD, STORE, WRITTEN_ARROW
from penstock._engine.spark.batch.tasks import rows as rows_module
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
    assert len(opened(rows.take_most())) == 5
    assert not rows.is_full


def test_large_headers_fill_a_batch_and_leave_with_their_records() -> None:
    rows = Rows(0)
    for _ in range(5):
        rows.add_record(("out", 0), None, None, 7, (("h", b"x" * 4_000_000),))
    assert rows.is_full
    rows.take_most()
    assert not rows.is_full


def test_places_with_few_records_wait_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "_BATCH_BYTES", 4_000)
    rows = Rows(0)
    expected: dict[int, list[bytes]] = {}
    written: list[pa.RecordBatch] = []
    for at in range(1_000):
        partition = 0 if at % 5 else at // 5 % 10
        rows.add_record(("out", partition), None, b"%d" % at, at, (("h", b"x"),) * (at % 3))
        expected.setdefault(partition, []).append(b"%d" % at)
        if rows.is_full:
            written.append(rows.take_most())
            assert not rows.is_full
    places = [{run["partition"] for run, _ in opened(batch)} for batch in written]
    # A batch may have no run of a place that has few records, but each has some of the largest.
    assert min(map(len, places)) < 10
    assert all(0 in of_batch for of_batch in places)
    found: dict[int, list[bytes]] = {}
    for run, records in (one for batch in [*written, rows.take()] for one in opened(batch)):
        values = found.setdefault(run["partition"], [])
        assert run["number"] == len(values)
        values += [record["value"] for record in records]
        for record in records:
            assert len(record.get("headers") or ()) == int(record["value"]) % 3
    assert found == expected
    assert rows.take().num_rows == 0


def test_large_records_leave_though_their_place_has_few() -> None:
    rows = Rows(0)
    rows.add_record(("out", 0), None, b"x" * 17_000_000, 7, ())
    for _ in range(100):
        rows.add_record(("out", 1), None, b"x", 7, ())
    assert rows.is_full
    assert sorted(run["partition"] for run, _ in opened(rows.take_most())) == [0, 1]
    assert not rows.is_full


def test_records_that_are_skipped_do_not_fill_a_batch() -> None:
    rows = Rows(0)
    rows.places["out"] = [None]
    rows.add_record(("out", 0), b"k", b"v", 7, ())
    skipped: Output = ("changelog", 0, b"k", b"v", 7, ())
    kept: Output = ("out", 0, b"k", b"v", 7, ())
    outputs = [*[skipped] * 1_000, kept]
    for _ in range(700):
        assert rows.add_outputs(outputs, 0, {"changelog"}) == len(outputs)
        assert not rows.is_full
    [(_, records)] = opened(rows.take())
    assert len(records) == 701
