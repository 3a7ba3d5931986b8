"""Sorted rows are taken apart into queues, of which only a batch is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from conformance.dataframes.without_spark import FEED
from penstock._engine.spark.batch.schemas import FIRST_ROW
from penstock._engine.spark.batch.tasks.feeds import Feeds, queue_slices, raw_records


def batches(*rows: tuple[int, int, int | None], size: int = 2) -> Iterator[pa.RecordBatch]:
    """Yield batches of rows (input, partition, offset)."""
    listed = [
        {"input": number, "partition": partition, "offset": offset, "timestamp": 1}
        for number, partition, offset in rows
    ]
    for start in range(0, len(listed), size):
        yield pa.RecordBatch.from_pylist(listed[start : start + size], schema=FEED)


def test_batches_are_cut_where_another_queue_begins() -> None:
    cut = queue_slices(batches((0, 0, 1), (0, 0, 2), (0, 1, 1), (1, 1, 1), size=4))
    assert [(place, batch.num_rows) for place, batch in cut] == [
        ((0, 0), 2),
        ((0, 1), 1),
        ((1, 1), 1),
    ]


def test_all_queues_but_the_last_are_read_back_from_files(tmp_path: Path) -> None:
    rows = [(FIRST_ROW, 4, None), (0, 0, 7), (0, 0, 8), (0, 0, 9), (1, 0, 3), (1, 0, 4)]
    feeds = Feeds(batches(*rows), ["a", "b"], [])
    assert feeds.spark_partition == 4
    assert list(feeds.global_records()) == []
    opened = feeds.open([("a", 0), ("b", 0)], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["0_0.arrow"]
    offsets = {place: [raw[0] for raws in feed for raw in raws] for place, feed in opened.items()}
    assert offsets == {("a", 0): [7, 8, 9], ("b", 0): [3, 4]}
    assert list(tmp_path.iterdir()) == []


def test_records_of_global_tables_come_first(tmp_path: Path) -> None:
    rows = [(FIRST_ROW, 0, None), (-2, 0, 1), (-1, 0, 5), (-1, 1, 6), (0, 0, 2)]
    feeds = Feeds(batches(*rows), ["a"], ["first", "second"])
    of_all = [(place, [raw[0] for raw in raws]) for place, raws in feeds.global_records()]
    assert of_all == [(("second", 0), [1]), (("first", 0), [5]), (("first", 1), [6])]
    [(place, feed)] = feeds.open([("a", 0)], tmp_path).items()
    assert (place, [raw[0] for raws in feed for raw in raws]) == (("a", 0), [2])


def test_records_without_offsets_are_counted() -> None:
    [batch] = batches((0, 0, None), (0, 0, None))
    assert [raw[0] for raw in raw_records(batch, 40)] == [40, 41]
    assert raw_records(batch, 0)[0] == (0, 1, None, None, ())
