"""What workers write, as Arrow batches of one schema."""

from __future__ import annotations

from penstock._engine.spark.batch.schemas import POSITION, RECORD, STORE, WRITTEN_ARROW
from penstock._engine.spark.batch.tasks.rows import Rows


def test_a_record_has_the_largest_time_sent_to_its_partition_so_far_as_its_rank() -> None:
    rows = Rows(2)
    for time in (5, 3, 9):
        rows.add_record(("out", 0), b"k", None, time, ())
    rows.add_record(("out", 1), b"k", b"v", 1, (("h", b"x"),))
    made = rows.take().to_pylist()
    assert [row["rank"] for row in made] == [5, 5, 9, 1]
    assert [row["sequence"] for row in made] == [0, 1, 2, 3]
    assert {(row["kind"], row["spark_partition"]) for row in made} == {(RECORD, 2)}
    assert made[3]["headers"] == [{"key": "h", "value": b"x"}]


def test_ranks_and_numbers_go_on_after_a_batch() -> None:
    rows = Rows(0)
    rows.add_record(("out", 0), None, None, 7, ())
    rows.take()
    rows.add_record(("out", 0), None, None, 6, ())
    [row] = rows.take().to_pylist()
    assert (row["rank"], row["sequence"]) == (7, 1)


def test_rows_of_all_kinds_have_one_schema() -> None:
    rows = Rows(0)
    assert rows.take().num_rows == 0
    rows.add_store_row(("store", 1), b"k", b"v", None, (10, 20))
    rows.add_position(("in", 3), 12, "meta", 99)
    batch = rows.take()
    assert batch.schema == WRITTEN_ARROW
    stored, position = batch.to_pylist()
    assert (stored["kind"], stored["start"], stored["end"]) == (STORE, 10, 20)
    assert (position["kind"], position["sequence"], position["value"]) == (POSITION, 12, b"meta")
