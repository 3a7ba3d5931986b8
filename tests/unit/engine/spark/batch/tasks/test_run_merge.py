"""Merged runs are what sorting all their records at once would give, however they are cut."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.dataframes.without_spark import INPUT_ROWS
from penstock._engine.spark.batch.tasks import input_runs, run_merge
from penstock._engine.spark.batch.tasks.input_runs import make_runs
from penstock._engine.spark.batch.tasks.run_merge import ShelvedRun, merged
from penstock._engine.spark.batch.tasks.sorted_runs import (
    RunShelf,
    by_content,
    content_key,
    run_bytes,
)
from tests.unit.engine.spark.batch.tasks.test_sorted_runs import SCHEMA, records

COLUMNS = ["rank", "key", "value", "headers"]


@pytest.fixture(autouse=True, scope="module")
def _small_blocks() -> Any:
    patched = pytest.MonkeyPatch()
    patched.setattr(run_merge, "_BLOCK_ROWS", 2)
    patched.setattr(run_merge, "_LEAST_ROWS", 1)
    patched.setattr(run_merge, "_ROWS_AT_ONCE", 12)
    patched.setattr(run_merge, "_QUEUES_AT_ONCE", 3)
    patched.setattr(run_merge, "_BEGINNING_BYTES", 1)
    patched.setattr(input_runs, "_RUN_BYTES", 60)
    yield
    patched.undo()


def shelved(rows: pa.Table, sender: int = -1, number: int = 0) -> ShelvedRun:
    [batch] = rows.to_batches() or [pa.RecordBatch.from_pylist([], schema=rows.schema)]
    run = run_bytes(batch)
    return ShelvedRun(sender, number, lambda: run)


@settings(max_examples=60)
@given(st.lists(records, min_size=1, max_size=5))
def test_runs_of_an_input_go_by_content(drawn: list[list[dict[str, Any]]]) -> None:
    tables = [pa.Table.from_pylist(rows, schema=SCHEMA).select(COLUMNS) for rows in drawn]
    runs = [
        # Runs in which no record has headers have no such column.
        shelved(
            rows if any(row["headers"] for row in drawn[at]) else rows.drop_columns("headers"),
            -1 - at,
        )
        for at, rows in enumerate(map(by_content, tables))
    ]
    found = [content_key(row) for batch in merged(runs) for row in batch.to_pylist()]
    assert found == sorted(content_key(row) for rows in drawn for row in rows)


@settings(max_examples=60)
@given(st.lists(records, min_size=1, max_size=8), st.booleans(), st.randoms(use_true_random=False))
def test_pieces_of_sorts_that_come_in_any_order_are_one_queue(
    drawn: list[list[dict[str, Any]]], has_offsets: bool, chance: Random
) -> None:
    rows = [
        row | {"partition": 0, "timestamp": row["rank"], "offset": row["partition"]}
        for one in drawn
        for row in one
    ]
    expected = rows
    if has_offsets:
        expected = [row | {"rank": row["offset"]} for row in rows]
    names = [name for name in INPUT_ROWS.names if has_offsets or name != "offset"]
    table = pa.Table.from_pylist(rows, schema=INPUT_ROWS).select(names)
    # Each batch is sorted by itself.
    made = list(make_runs(1, 1)(table.to_batches(max_chunksize=4)))
    chance.shuffle(made)
    with TemporaryDirectory() as folder:
        shelf = RunShelf(Path(folder), 400)
        runs = [
            ShelvedRun(one.column("sender")[0].as_py(), one.column("number")[0].as_py(), opened)
            for one in made
            for opened in shelf.keep(one.column("run"))
        ]
        found = [row for batch in merged(runs) for row in batch.to_pylist()]
    assert [content_key(row) for row in found] == sorted(map(content_key, expected))
    if not has_offsets:
        assert [row["timestamp"] for row in found] == [row["rank"] for row in found]


def test_pieces_that_begin_alike_are_read_one_after_the_other() -> None:
    opened: list[int] = []

    def piece(number: int) -> ShelvedRun:
        rows = [{"rank": 1, "key": b"key", "value": b"%03d" % (number * 3 + at)} for at in range(3)]
        batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA).select(["rank", "key", "value"])
        run = run_bytes(batch)

        def open_run() -> pa.Buffer:
            opened.append(number)
            return run

        return ShelvedRun(-1, number, open_run)

    records_found = merged([piece(number) for number in reversed(range(20))])
    assert next(records_found).column("value").to_pylist()[0] == b"000"
    # The ends of the sort were looked at, nothing in between.
    assert set(opened) == {0, 19}
    assert sum(batch.num_rows for batch in records_found) >= 58


def test_keys_that_begin_alike_go_by_the_rest_before_the_value() -> None:
    rows = [{"rank": 1, "key": b"k" * 99 + b"z", "value": b"a"}]
    others = [{"rank": 1, "key": b"k" * 99 + b"a", "value": b"b"}]
    runs = [
        shelved(pa.Table.from_pylist(one, schema=SCHEMA).select(COLUMNS), sender)
        for sender, one in ((-1, rows), (-2, others))
    ]
    assert [row["value"] for one in merged(runs) for row in one.to_pylist()] == [b"b", b"a"]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=11), st.integers(1, 4)
)
def test_runs_of_tasks_go_by_rank_then_by_sender(steps: list[list[int]], size: int) -> None:
    expected, runs = [], []
    for sender, of_sender in enumerate(steps):
        ranks = [sum(of_sender[: at + 1]) for at in range(len(of_sender))]
        rows = [{"rank": rank, "value": b"%d-%d" % (sender, at)} for at, rank in enumerate(ranks)]
        expected += [(row["rank"], sender, at, row["value"]) for at, row in enumerate(rows)]
        for start in range(0, len(rows), size):
            some = pa.Table.from_pylist(rows[start : start + size], schema=SCHEMA)
            runs.append(shelved(some.select(["rank", "value"]), sender, start))
    found = [row["value"] for batch in merged(runs[::-1]) for row in batch.to_pylist()]
    assert found == [value for *_, value in sorted(expected)]


def test_a_block_of_large_rows_has_few_of_them() -> None:
    rows = [{"rank": at, "value": b"x" * 9_000_000} for at in range(3)]
    batch = pa.Table.from_pylist(rows, schema=SCHEMA).select(["rank", "key", "value"])
    assert [one.num_rows for one in merged([shelved(batch)])] == [1, 1, 1]


def test_runs_that_do_not_overlap_are_read_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_merge, "_BLOCK_ROWS", 100)
    monkeypatch.setattr(run_merge, "_ROWS_AT_ONCE", 1000)
    runs = []
    for rank in (4, 0, 2):
        rows = [{"rank": rank + at // 3, "value": b"%d" % at} for at in range(6)]
        table = pa.Table.from_pylist(rows, schema=SCHEMA).select(COLUMNS)
        runs.append(shelved(table, -1 - rank))
    found = [[row["rank"] for row in batch.to_pylist()] for batch in merged(runs)]
    assert found == [[0, 0, 0, 1, 1, 1], [2, 2, 2, 3, 3, 3], [4, 4, 4, 5, 5, 5]]
