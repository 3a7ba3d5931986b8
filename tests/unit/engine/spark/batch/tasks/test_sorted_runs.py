"""Records of an input have one order, whatever order they come in; runs are kept as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.dataframes.without_spark import INPUT_ROWS
from penstock._engine.spark.batch.tasks import sorted_runs
from penstock._engine.spark.batch.tasks.sorted_runs import (
    RunShelf,
    batches_in,
    by_content,
    content_key,
    run_bytes,
)

SCHEMA = pa.schema([("rank", pa.int64()), *INPUT_ROWS])
data = st.none() | st.sampled_from([b"", b"a", b"ab", b"\xff"])
pairs = st.fixed_dictionaries({"key": st.sampled_from(["x", "é"]), "value": data})
records = st.lists(
    st.fixed_dictionaries(
        {
            "rank": st.integers(0, 2),
            "partition": st.integers(0, 1),
            "key": data,
            "value": data,
            "headers": st.lists(pairs, max_size=2),
        }
    ),
    max_size=12,
)


@given(records)
def test_records_go_by_rank_key_value_and_headers(drawn: list[dict[str, Any]]) -> None:
    rows = pa.Table.from_pylist(drawn, schema=SCHEMA)
    found = by_content(rows, ["partition"]).to_pylist()
    expected = sorted(rows.to_pylist(), key=lambda row: (row["partition"], content_key(row)))
    assert found == expected
    assert [content_key(row) for row in by_content(rows).to_pylist()] == sorted(
        map(content_key, drawn)
    )


@pytest.mark.parametrize("memory_bytes", [0, 700, 10**6])
def test_runs_are_kept_in_memory_and_in_a_file(tmp_path: Path, memory_bytes: int) -> None:
    shelf = RunShelf(tmp_path, memory_bytes)
    made = [
        run_bytes(pa.RecordBatch.from_pylist([{"rank": at}], schema=SCHEMA)).to_pybytes()
        for at in range(4)
    ]
    kept = shelf.keep(pa.array(made[:1], pa.binary())) + shelf.keep(pa.array(made[1:], pa.binary()))
    assert (tmp_path / "runs").exists() == (memory_bytes < 10**6)
    ranks = [[row["rank"] for row in next(batches_in(run())).to_pylist()] for run in kept]
    assert ranks == [[0], [1], [2], [3]]
    assert [run() for run in reversed(kept)] == made[::-1]
    # What is open needs no name.
    assert list(tmp_path.iterdir()) == []
    shelf.close()


def test_only_ties_with_headers_are_sorted_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def header_key(headers: Any) -> tuple[str, ...]:
        asked.append(headers)
        return tuple(pair["key"] for pair in headers or ())

    monkeypatch.setattr(sorted_runs, "_header_key", header_key)
    some, other = [{"key": "x", "value": None}], [{"key": "a", "value": None}]
    drawn = [(3, some), (1, None), (2, some), (1, None), (2, other), (2, None), (0, other)]
    rows = [{"rank": rank, "key": b"k", "headers": headers} for rank, headers in drawn]
    found = by_content(pa.Table.from_pylist(rows, schema=SCHEMA)).to_pylist()
    assert [(row["rank"], row["headers"]) for row in found] == [
        (0, other),
        (1, None),
        (1, None),
        (2, None),
        (2, other),
        (2, some),
        (3, some),
    ]
    assert sorted(map(str, asked)) == sorted(map(str, [None, other, some]))
