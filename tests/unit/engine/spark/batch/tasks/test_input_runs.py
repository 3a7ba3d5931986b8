"""The rows of an input become sorted runs of its partitions, whatever columns it has."""

from __future__ import annotations

import pyarrow as pa
import pytest

from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.spark.batch.schemas import ARROW_HEADERS
from penstock._engine.spark.batch.tasks.input_runs import make_runs
from penstock._engine.spark.batch.tasks.run_merge import ShelvedRun, merged
from penstock._engine.spark.batch.tasks.sorted_runs import batches_in, together


def runs_of(
    columns: dict[str, pa.Array], partitions: int, size: int = 10**6
) -> list[tuple[int, list[tuple[object, ...]]]]:
    """Return partition and records of each run."""
    batch = pa.RecordBatch.from_pydict(columns)
    batches = [batch.slice(0, 2), batch.slice(2)]
    return [
        (
            made.column("partition")[0].as_py(),
            [
                (row["rank"], row["timestamp"], row["key"])
                for held in batches_in(made.column("run")[0].as_buffer())
                for row in held.to_pylist()
            ],
        )
        for made in make_runs(partitions, size)(batches)
    ]


def test_records_go_to_the_partition_of_their_key_or_value() -> None:
    keys, values = [b"b", None, b"a"], [b"x", b"a", None]
    columns = {
        "timestamp": pa.array([3, 1, 2], pa.int64()),
        "key": pa.array(keys, pa.binary()),
        "value": pa.array(values, pa.binary()),
    }
    by_a, by_b = partition_of(b"a", 7), partition_of(b"b", 7)
    found = dict(runs_of(columns, 7))
    assert found == {by_a: [(1, 1, None), (2, 2, b"a")], by_b: [(3, 3, b"b")]}


def test_partitions_and_offsets_of_the_input_are_kept_and_columns_may_be_large() -> None:
    columns = {
        "timestamp": pa.array([3, 1, 2], pa.int64()),
        "key": pa.array([b"b", None, b"a"], pa.large_binary()),
        "value": pa.array([None, None, None], pa.large_binary()),
        "partition": pa.array([4, 4, 0], pa.int32()),
        "offset": pa.array([9, 5, None], pa.int64()),
    }
    assert dict(runs_of(columns, 7)) == {0: [(2, 2, b"a")], 4: [(5, 1, None), (9, 3, b"b")]}
    # Each batch by itself.
    assert [partition for partition, _ in runs_of(columns, 7, size=1)] == [4, 0]


def test_large_runs_are_cut() -> None:
    columns = {
        "timestamp": pa.array([1, 2, 3], pa.int64()),
        "key": pa.array([b"k"] * 3, pa.binary()),
        "value": pa.array([b"x" * 3_000_000] * 3, pa.binary()),
    }
    assert [len(records) for _, records in runs_of(columns, 1, size=10**9)] == [1, 1, 1]


def test_pieces_know_their_sort_and_their_place_in_it() -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "timestamp": pa.array([2, 1], pa.int64()),
            "key": pa.array([b"k"] * 2, pa.binary()),
            "value": pa.array([b"x" * 300_000] * 2, pa.binary()),
        }
    )
    made = pa.Table.from_batches(make_runs(1, 1)([batch, batch]))
    assert made.column("sender").to_pylist() == [-1, -1, -2, -2]
    assert made.column("number").to_pylist() == [0, 1, 0, 1]


@pytest.mark.parametrize("size", [1, 10**6])
def test_headers_may_have_a_type_of_their_own_beside_runs_without_any(size: int) -> None:
    pair = pa.struct(
        [pa.field("key", pa.large_string(), False), pa.field("value", pa.large_binary())]
    )
    types = pa.large_list(pa.field("element", pair, False)), pa.list_(pair), ARROW_HEADERS
    data = pa.array([b"v"], pa.binary())
    batches = [
        pa.RecordBatch.from_pydict(
            {
                "timestamp": pa.array([at], pa.int64()),
                "key": data,
                "value": data,
                "headers": pa.array([headers], type_),
            }
        )
        for at, (type_, headers) in enumerate(
            (type_, headers)
            for type_ in types
            for headers in ([{"key": "h", "value": b"x"}], [], None)
            if headers is not None or type_ is ARROW_HEADERS
        )
    ]
    runs = [
        ShelvedRun(one.column("sender")[0].as_py(), 0, one.column("run")[0].as_buffer)
        for one in make_runs(1, size)(batches)
    ]
    assert len(runs) == (1 if size > 1 else len(batches))
    held = together([batch for run in runs for batch in batches_in(run.open())])
    some = [{"key": "h", "value": b"x"}]
    assert [headers or [] for headers in held.column("headers").to_pylist()] == [
        *(some, [], some, [], some, []),
        [],
    ]
    assert [row["timestamp"] for batch in merged(runs) for row in batch.to_pylist()] == [*range(7)]


def test_nothing_becomes_nothing() -> None:
    assert list(make_runs(3)([])) == []
