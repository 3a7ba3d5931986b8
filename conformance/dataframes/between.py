"""Runs random programs between streaming DataFrames: `python -m conformance.dataframes.between`.

Each input is a folder of files, read as a stream one file at a time; the program runs live on a
real broker; its outputs are streaming DataFrames. `--programs 50 --first 7` runs the programs 7 to
56, in turn on one and on two partitions.

What is compared is what the input fixes. A task that reads the user's topics takes their records by
time, so all it writes is fixed, and its order too where no other task writes to the partition. The
records of a repartition topic come when they come: where a task has other inputs beside it, what
it writes is not compared.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import io
import json
import logging
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from conformance.dataframes.comparison import needs_wall_clock, planned, say_nothing
from conformance.dataframes.feeding import Fed, Inputs, inputs_of, is_fed_its_own
from conformance.dataframes.on_spark import session
from conformance.dataframes.reference import Outcome, Reference
from conformance.fuzz import generator
from conformance.fuzz.description import Description
from conformance.fuzz.interpret import DescribedProgram
from conformance.harness import Line, config_of
from penstock import spark as streams
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.planner.stages import JobPlan
from penstock._engine.spark.batch.start import settings_of
from penstock.errors import StreamsError, TopologyError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCHEMA = "key string, value string, timestamp long, headers array<struct<key:string,value:string>>"
_BYTES = (
    "unbase64(key) AS key",
    "unbase64(value) AS value",
    "timestamp",
    "transform(headers, one -> struct(one.key AS key, unbase64(one.value) AS value)) AS headers",
)
_ROWS_OF_A_FILE = 8
_NO_CACHE = {"statestore.cache.max.bytes": 0}
"""The reference commits after each record, so every update is an output."""
_OUTPUT_SECONDS = 120
_BUSY = "Python worker failed to connect back"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs that the command line asks for; return 0 if all agree."""
    parser = argparse.ArgumentParser(prog="conformance.dataframes.between", description=__doc__)
    parser.add_argument("--programs", type=int, default=50, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    options = parser.parse_args(arguments)
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    told: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory(prefix="penstock-between-") as work,
        LocalBroker(Path(work) / "broker") as broker,
        session(long=True) as spark,
    ):
        seed = options.first
        # Programs that are left out do not count.
        while told["agrees"] + told["DIFFERS"] < options.programs:
            folder = Path(work) / str(seed)
            found = _found(seed, spark, broker.bootstrap_servers, folder)
            told[found if isinstance(found, str) else "DIFFERS" if found else "agrees"] += 1
            if not isinstance(found, str):
                shown = "DIFFERS" if found else "agrees"
                print(f"program {seed}: {shown}", *found, sep="\n", flush=True)
            seed += 1
    for outcome, count in told.most_common():
        print(f"{count:5} {outcome}")
    return 1 if told["DIFFERS"] else 0


def _found(seed: int, spark: SparkSession, servers: str, folder: Path) -> list[str] | str:
    try:
        return differences(seed, spark, servers, folder)
    except Exception as error:
        if _BUSY in str(error):
            return "not run: Spark's Python processes do not start in time on this machine"
        # One that cannot be run must not hide the others.
        return [f"  cannot be run: {type(error).__name__}: {error}"[:2000]]


def differences(seed: int, spark: SparkSession, servers: str, folder: Path) -> list[str] | str:
    """Return how a random program differs between DataFrames, or why it is left out."""
    # The rows of a file are sorted by time, as the sink does it.
    files = _in_files(renamed(generator.generate(seed), f"between-{seed}-"))
    lines = [line for file in files for line in file]
    description = replace(renamed(generator.generate(seed), f"between-{seed}-"), input=lines)
    if reason := _why_not(description):
        return f"left out: {reason}"
    program, partitions = DescribedProgram(description), 1 + seed % 2
    topology = program.topology(say_nothing)
    inputs = inputs_of(lines, topology, partitions)
    config = settings_of({**config_of(program), **_NO_CACHE})
    plan = planned(topology, config, inputs, partitions)
    fixed = fixed_topics(plan)
    if plan.has_routed_sinks or not fixed:
        return "left out: records name its topics, or its input fixes nothing that it writes"
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # programs print
            expected = Reference(plan, inputs).topics
    except StreamsError:
        return "left out: the program is meant to fail"
    _write_files(folder, files, inputs)
    counts = dict.fromkeys([*inputs, *plan.sinks], partitions)
    got = _outcome(spark, DescribedProgram(description), servers, folder, counts)
    return list(_compared(expected, got, fixed, partitions))


def _why_not(description: Description) -> str | None:
    try:
        topology = DescribedProgram(description).topology(say_nothing)
    except TopologyError:
        return "the program is refused before it runs"
    if is_fed_its_own(description.input, topology):
        return "it is fed a topic that it writes itself"
    if needs_wall_clock(lambda: DescribedProgram(description), description.input):
        return "it has timers of the wall clock"
    return None


def renamed(drawn: Description, prefix: str) -> Description:
    """Return a program without steps of the wall clock whose topics begin with `prefix`: programs
    share a broker.
    """

    def rename(step: dict[str, Any]) -> dict[str, Any]:
        made = dict(step)
        if "topic" in step:
            made["topic"] = f"{prefix}{step['topic']}"
        if "topics" in step:
            made["topics"] = [f"{prefix}{topic}" for topic in step["topics"]]
        return made

    lines = [rename(line) for line in drawn.input if "advance_wall_clock" not in line]
    # The Kafka client takes a time of 0 for none: what is sent with it has that of the next.
    lines = [{**line, "timestamp": max(1, line.get("timestamp", 0))} for line in lines]
    return replace(drawn, steps=[rename(step) for step in drawn.steps], input=lines)


def fixed_topics(plan: JobPlan) -> dict[str, bool]:
    """Return the user's topics whose records the input fixes, and whether one task at most writes
    to each partition, given one partition.
    """
    writers: dict[str, list[int]] = {}
    plans = {one.id: one for stage in plan.stages for one in stage.plans}
    for number, one in plans.items():
        for topic in one.sink_topics():
            writers.setdefault(topic, []).append(number)
    settled: set[int] = set()
    one_partition = set(plan.partition_counts.values()) == {1}
    for stage in plan.stages:
        for one in () if stage.is_cycle else stage.plans:
            read = set(one.source_topics())
            by_user = read <= plan.inputs
            feeders = [number for topic in read for number in writers.get(topic, ())]
            by_one = one_partition and len(read) == len(feeders) == 1 and set(feeders) <= settled
            if by_user or by_one:
                settled.add(one.id)
    return {
        topic: one_partition and len(writers[topic]) == 1
        for topic in plan.sinks
        if set(writers[topic]) <= settled
    }


def _in_files(drawn: Description) -> list[list[Line]]:
    """Return the input as files of a few rows of one topic each, sorted by time, in the order in
    which they are read.
    """
    by_topic: dict[str, list[Line]] = {}
    for line in drawn.input:
        by_topic.setdefault(line["topic"], []).append(line)
    return [
        sorted(rows[at : at + _ROWS_OF_A_FILE], key=lambda line: line.get("timestamp", 0))
        for rows in by_topic.values()
        for at in range(0, len(rows), _ROWS_OF_A_FILE)
    ]


def _write_files(folder: Path, files: list[list[Line]], inputs: Inputs) -> None:
    for topic in inputs:
        (folder / topic).mkdir(parents=True)
    records = {topic: iter(fed) for topic, fed in inputs.items()}
    for number, lines in enumerate(files):
        topic = lines[0]["topic"]
        rows = [_row(record) for _, record in zip(lines, records[topic], strict=False)]
        path = folder / topic / f"{number:04}.json"
        path.write_text("\n".join(map(json.dumps, rows)))
        # Spark reads the oldest first.
        os.utime(path, (1_000_000 + number, 1_000_000 + number))


def _row(record: Fed) -> dict[str, Any]:
    return {
        "key": _text(record.key),
        "value": _text(record.value),
        "timestamp": record.timestamp,
        "headers": [{"key": name, "value": _text(data)} for name, data in record.headers],
    }


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _outcome(
    spark: SparkSession,
    program: DescribedProgram,
    servers: str,
    folder: Path,
    counts: Mapping[str, int],
) -> Outcome:
    """Run a program between DataFrames; return what its sink topics hold."""
    topology = program.topology(say_nothing)
    config = settings_of({**config_of(program), **_NO_CACHE}).given() | {
        "application.id": f"between-{folder.name}",
        "bootstrap.servers": servers,
        "state.dir": str(folder / "state"),
        "penstock.turn.ms": 2000,
    }
    inputs: dict[str, DataFrame] = {}
    for topic in (path.name for path in folder.iterdir()):
        reader = spark.readStream.schema(_SCHEMA).option("maxFilesPerTrigger", 1)
        inputs[topic] = reader.json(str(folder / topic)).selectExpr(*_BYTES)
    written: Outcome = {}
    found: list[Any] = []

    def keep(batch: DataFrame, _number: int) -> None:
        found.extend(batch.collect())

    with streams.run(
        topology, inputs, config, partitions=counts, folder=folder / "run", available_now=True
    ) as result:
        frames = [result[topic].selectExpr(f"'{topic}' AS topic", "*") for topic in result]
        whole = reduce(DataFrame.union, frames)
        query = whole.writeStream.foreachBatch(keep).trigger(availableNow=True)
        query = query.option("checkpointLocation", result.checkpoint("all"))
        if not query.start().awaitTermination(_OUTPUT_SECONDS):
            msg = "the outputs did not end"
            raise StreamsError(msg)
    for row in sorted(found, key=lambda row: row.offset):
        headers = tuple((one.key, _data(one.value)) for one in row.headers)
        time = round(row.timestamp.timestamp() * 1000)
        record = (_data(row.key), _data(row.value), time, headers)
        written.setdefault((row.topic, row.partition), []).append(record)
    return written


def _data(cell: bytearray | None) -> bytes | None:
    return None if cell is None else bytes(cell)


def _compared(
    expected: Outcome, got: Outcome, fixed: dict[str, bool], partitions: int
) -> Iterator[str]:
    for topic, is_ordered in fixed.items():
        for number in range(partitions):
            wanted, seen = expected.get((topic, number), []), got.get((topic, number), [])
            if not is_ordered:
                wanted, seen = sorted(wanted, key=repr), sorted(seen, key=repr)
            if wanted != seen:
                yield f"  topic {topic}, partition {number}: expected {wanted!r}"[:2000]
                yield f"  got {seen!r}"[:2000]


if __name__ == "__main__":
    sys.exit(main())
