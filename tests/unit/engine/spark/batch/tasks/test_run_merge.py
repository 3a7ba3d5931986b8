"""Merged runs are what sorting all their records at once would give, however they are cut."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock._engine.spark.batch.tasks import run_merge
from penstock._engine.spark.batch.tasks.run_merge import INPUT, ShelvedRun, merged
from penstock._engine.spark.batch.tasks.sorted_runs import by_content, content_key, run_bytes
from tests.unit.engine.spark.batch.tasks.test_sorted_runs import SCHEMA, records

COLUMNS = ["rank", "key", "value", "headers"]


@pytest.fixture(autouse=True, scope="module")
def _small_blocks() -> Any:
    patched = pytest.MonkeyPatch()
    patched.setattr(run_merge, "_BLOCK_ROWS", 2)
    yield
    patched.undo()


def shelved(rows: pa.Table, sender: int = INPUT, number: int = 0) -> ShelvedRun:
    [batch] = rows.to_batches() or [pa.RecordBatch.from_pylist([], schema=rows.schema)]
    run = run_bytes(batch)
    return ShelvedRun(sender, number, lambda: run)


@settings(max_examples=60)
@given(st.lists(records, min_size=1, max_size=5))
def test_runs_of_an_input_go_by_content(drawn: list[list[dict[str, Any]]]) -> None:
    tables = [pa.Table.from_pylist(rows, schema=SCHEMA).select(COLUMNS) for rows in drawn]
    runs = [
        # Runs in which no record has headers have no such column.
        shelved(rows if any(row["headers"] for row in drawn[at]) else rows.drop_columns("headers"))
        for at, rows in enumerate(map(by_content, tables))
    ]
    found = [content_key(row) for batch in merged(runs) for row in batch.to_pylist()]
    assert found == sorted(content_key(row) for rows in drawn for row in rows)


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=5), st.integers(1, 4))
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
    runs = []
    for rank in (4, 0, 2):
        rows = [{"rank": rank + at // 3, "value": b"%d" % at} for at in range(6)]
        runs.append(shelved(pa.Table.from_pylist(rows, schema=SCHEMA).select(COLUMNS)))
    found = [[row["rank"] for row in batch.to_pylist()] for batch in merged(runs)]
    assert found == [[0, 0, 0, 1, 1, 1], [2, 2, 2, 3, 3, 3], [4, 4, 4, 5, 5, 5]]
