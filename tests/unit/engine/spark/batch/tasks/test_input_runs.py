"""The rows of an input become sorted runs of its partitions, whatever columns it has."""

from __future__ import annotations

import pyarrow as pa

from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.spark.batch.tasks.input_runs import make_runs
from penstock._engine.spark.batch.tasks.sorted_runs import batches_in


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


def test_nothing_becomes_nothing() -> None:
    assert list(make_runs(3)([])) == []
