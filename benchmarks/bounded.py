"""A topology over Parquet files beside Spark SQL and a loop by hand: `make bench-dataframes`.

`python -m benchmarks.bounded [--rows N] [--rounds N] [--cores N ...]`: orders of 10,000 users are
counted by user, each update a row. The ways take turns in one session for each number of cores; the
median round counts. Processor time is that of all processes: driver, JVM and Python workers. Rows
go to Spark's sink `noop`. Spark SQL counts with a window function, since its aggregate gives the
last row of each user only, which is shown as well. By hand is what a Spark user writes for it:
`mapInArrow` over rows that are brought together by user and sorted by time, a dict and a loop.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from benchmarks import data, machine, results, topologies
from benchmarks.contenders import ROOT
from benchmarks.processes import processor_seconds, tree
from penstock import StreamsBuilder, Topology
from penstock import spark as streams
from penstock._engine.spark.batch.arrow_map import map_in_arrow

ROWS, KEYS, FILES = 2_000_000, 10_000, 8
FAR_ROWS = 100_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, keep and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bounded", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each way (3)")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", nargs="+", choices=sorted(WAYS), default=list(WAYS))
    parser.add_argument("--results", type=Path, default=results.FILE, help="the file added to")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child is not None:
        print(json.dumps(measured(Path(given.child), given.cores[0], given.only, given.rounds)))
        return 0
    run = uuid4().hex[:8]
    with tempfile.TemporaryDirectory() as folder:
        write_orders(Path(folder), given.rows)
        print(f"{machine.description()}; {given.rows:,} rows, {given.rounds} rounds", flush=True)
        for cores in given.cores:
            rounds = in_session(folder, cores, given)
            found = {name: summary(taken, given.rows) for name, taken in rounds.items()}
            for line in lines_of(cores, found):
                print(line, flush=True)
            kept = {"rows": given.rows, **found, results.MEASURED: results.stamp(run)}
            results.keep(("bounded", str(cores)), kept, given.results)
    return 0


def write_orders(folder: Path, rows: int) -> None:
    """Write the orders of the other benchmarks as Parquet files."""
    schema = pa.schema([("key", pa.binary()), ("value", pa.binary()), ("timestamp", pa.int64())])
    share = -(-rows // FILES)
    writer, begun = None, 0
    batch: list[tuple[bytes, bytes, int]] = []
    for number, row in enumerate(data.orders(rows, KEYS)):
        if number == begun:
            writer = pq.ParquetWriter(folder / f"{number // share}.parquet", schema)
            begun += share
        batch.append(row[:3])
        if len(batch) == 50_000 or number + 1 in {begun, rows}:
            assert writer is not None
            arrays = [
                pa.array(column, field.type)
                for column, field in zip(zip(*batch, strict=True), schema, strict=True)
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            batch.clear()
            if number + 1 in {begun, rows}:
                writer.close()


def in_session(folder: str, cores: int, given: argparse.Namespace) -> dict[str, list[list[float]]]:
    """Measure in a process of its own: a process has one session."""
    command = [sys.executable, "-m", "benchmarks.bounded", "--child", folder]
    command += ["--cores", str(cores), "--rounds", str(given.rounds), "--only", *given.only]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, list[list[float]]] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(
    folder: Path, cores: int, names: Sequence[str], rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """Return the seconds and the processor seconds of each round of each way."""
    spark = session(cores)
    frame = spark.read.parquet(str(folder))
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for name in names:
        WAYS[name](frame.limit(10_000))  # classes are loaded, processes started
    for _ in range(rounds):
        for name in names:
            before, begin = used(), time.monotonic()
            WAYS[name](frame)
            taken[name].append((time.monotonic() - begin, used() - before))
    spark.stop()
    return taken


def summary(rounds: Sequence[Sequence[float]], rows: int) -> dict[str, float]:
    """Return the medians: rows a second, processor time of a row."""
    seconds, used = (statistics.median(column) for column in zip(*rounds, strict=True))
    return {"per_second": round(rows / seconds), "cpu_us": round(used / rows * 1e6, 2)}


def lines_of(cores: int, found: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield what was found, and what it means for many rows: a job's cost grows with its rows, what
    is the same for any job was taken off by the first turn.
    """
    for name, one in found.items():
        minutes = FAR_ROWS / one["per_second"] / 60
        yield (
            f"{cores} cores  {name:22} {one['per_second']:10,.0f} rows/s  {one['cpu_us']:6.2f} us "
            f"each; extrapolated: {FAR_ROWS // 10:,} rows {minutes / 10:.1f} min, "
            f"{FAR_ROWS:,} rows {minutes:.0f} min"
        )


def topology() -> Topology:
    """Return the count of the other benchmarks."""
    builder = StreamsBuilder()
    topologies.ALL["count"](builder, ["orders"], "counts")
    return builder.build()


def with_topology(frame: DataFrame) -> None:
    """Run the topology."""
    result = streams.run(topology(), {"orders": frame})
    write(result["counts"])
    result.unpersist()


def with_sql(frame: DataFrame) -> None:
    """Count with a window function."""
    so_far = (
        Window.partitionBy("key")
        .orderBy("timestamp")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    write(frame.select("key", F.count("*").over(so_far).alias("count"), "timestamp"))


def with_sql_aggregate(frame: DataFrame) -> None:
    """Count with an aggregate: the last count of each user only."""
    write(frame.groupBy("key").agg(F.count("*"), F.max("timestamp")))


def by_hand(frame: DataFrame) -> None:
    """Count in a loop."""
    together = frame.repartition(8, "key").sortWithinPartitions("timestamp")
    write(map_in_arrow(together, _loop, "key binary, value bigint, timestamp bigint", "count"))


def _loop(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counts: defaultdict[bytes, int] = defaultdict(int)
    for batch in batches:
        keys, found = batch.column("key").to_pylist(), []
        for key, value in zip(keys, batch.column("value").to_pylist(), strict=True):
            json.loads(value)  # the topology decodes it, too
            counts[key] += 1
            found.append(counts[key])
        yield pa.RecordBatch.from_pydict(
            {"key": batch.column("key"), "value": found, "timestamp": batch.column("timestamp")}
        )


WAYS: Mapping[str, Callable[[DataFrame], None]] = {
    "topology": with_topology,
    "sql-every-update": with_sql,
    "sql-last-row": with_sql_aggregate,
    "by-hand": by_hand,
}


def write(frame: DataFrame) -> None:
    """Compute all rows, and drop them."""
    frame.write.format("noop").mode("overwrite").save()


def used() -> float:
    """Return the processor seconds of this process and its children so far."""
    return sum(processor_seconds(pid) for pid in tree(os.getpid()))


def session(cores: int) -> SparkSession:
    """Return a session of so many cores."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "8")
    made = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


if __name__ == "__main__":
    sys.exit(main())
