"""The runs that Spark brings, in any order, become the queues of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from conformance.dataframes.without_spark import FEED, INPUT_ROWS
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.schemas import FIRST_ROW
from penstock._engine.spark.batch.tasks import feeds as feeds_module
from penstock._engine.spark.batch.tasks.arrow_records import raw_records
from penstock._engine.spark.batch.tasks.feeds import Feeds
from penstock._engine.spark.batch.tasks.input_runs import make_runs
from penstock.errors import StreamsError


def run_of(*offsets: int | None) -> bytes:
    """Return a run of records with these offsets."""
    rows = [{"timestamp": 1, "partition": 0, "offset": offset} for offset in offsets]
    [made] = make_runs(1)([pa.RecordBatch.from_pylist(rows, schema=INPUT_ROWS)])
    run: bytes = made.column("run")[0].as_py()
    return run


def batches(*rows: tuple[int, int, bytes | None], size: int = 2) -> Iterator[pa.RecordBatch]:
    """Yield batches of rows (input, partition, run)."""
    listed = [
        {"input": number, "partition": partition, "sender": -1 - at, "number": 0, "run": run}
        for at, (number, partition, run) in enumerate(rows)
    ]
    for start in range(0, len(listed), size):
        yield pa.RecordBatch.from_pylist(listed[start : start + size], schema=FEED)


def test_runs_become_queues_wherever_the_first_row_is(tmp_path: Path) -> None:
    rows = [(1, 0, run_of(3, 4)), (0, 0, run_of(8)), (FIRST_ROW, 4, None), (0, 0, run_of(9, 7))]
    feeds = Feeds(batches(*rows), ["a", "b"], [], tmp_path)
    assert feeds.spark_partition == 4
    assert list(feeds.global_records()) == []
    opened = feeds.open([("a", 0), ("b", 0), ("b", 1)])
    offsets = {place: [raw[0] for raws in feed for raw in raws] for place, feed in opened.items()}
    assert offsets == {("a", 0): [7, 8, 9], ("b", 0): [3, 4]}


def test_records_of_global_tables_are_apart(tmp_path: Path) -> None:
    rows = [
        (0, 0, run_of(2)),
        (-1, 1, run_of(6)),
        (-2, 0, run_of(1)),
        (FIRST_ROW, 0, None),
        (-1, 0, run_of(5)),
    ]
    feeds = Feeds(batches(*rows), ["a"], ["first", "second"], tmp_path)
    of_all = [(place, [raw[0] for raw in raws]) for place, raws in feeds.global_records()]
    assert of_all == [(("second", 0), [1]), (("first", 0), [5]), (("first", 1), [6])]
    [(place, feed)] = feeds.open([("a", 0)]).items()
    assert (place, [raw[0] for raws in feed for raw in raws]) == (("a", 0), [2])


def test_records_without_offsets_are_numbered(tmp_path: Path) -> None:
    rows = [(0, 0, run_of(None)), (0, 0, run_of(None, None)), (FIRST_ROW, 0, None)]
    [feed] = Feeds(batches(*rows), ["a"], [], tmp_path).open([("a", 0)]).values()
    assert [raw for raws in feed for raw in raws] == [(at, 1, None, None, ()) for at in range(3)]


def test_an_open_queue_holds_few_records_beside_its_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task has all its queues open, and records take more memory than what they are read from."""
    made: list[int] = []

    def counted(batch: pa.RecordBatch, next_offset: int) -> list[RawRecord]:
        made.append(batch.num_rows)
        return raw_records(batch, next_offset)

    monkeypatch.setattr(feeds_module, "raw_records", counted)
    starts = range(0, 21_000, 3000)
    rows = [(0, 0, run_of(*range(start, start + 3000))) for start in starts]
    opened = Feeds(batches(*rows, (FIRST_ROW, 0, None)), ["a"], [], tmp_path).open([("a", 0)])
    feed = opened["a", 0]
    first = next(feed)
    assert len(first) <= sum(made) < len(first) + 1024
    offsets = [raw[0] for raws in (first, *feed) for raw in raws]
    assert offsets == list(range(21_000))


def test_records_that_no_task_reads_are_not_passed_over(tmp_path: Path) -> None:
    rows = [(0, 0, run_of(1)), (0, 3, run_of(2)), (FIRST_ROW, 0, None)]
    feeds = Feeds(batches(*rows), ["a"], [], tmp_path)
    with pytest.raises(StreamsError, match="records for partition 3 of topic 'a', which no task"):
        feeds.open([("a", 0), ("a", 1)])
