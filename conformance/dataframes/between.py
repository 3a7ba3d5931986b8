"""Runs random programs between streaming DataFrames: `python -m conformance.dataframes.between`.

Each input is a folder of files, read as a stream one file at a time; the program runs live on a
real broker; its outputs are streaming DataFrames. `--programs 50 --first 7` runs 50 programs, the
first with the number 7, some at once, in turn on one and on two partitions. One of three has a
cache, and one commit at its end; the others write every update.

What is compared is what the input fixes. A task that reads the user's topics takes their records by
time, so all it writes is fixed, and its order too where no other task writes to the partition (no
two topics have a timestamp in common: which of two such records is first is not fixed). The
records of a repartition topic come when they come: where a task has other inputs beside it, what
it writes is not compared. With a cache that is so behind any repartition topic: commits decide what
comes out, and when they come is not fixed there.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import io
import itertools
import json
import logging
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import DataFrame

from conformance.dataframes.comparison import needs_wall_clock, planned, say_nothing
from conformance.dataframes.feeding import Fed, Inputs, inputs_of, is_fed_its_own
from conformance.dataframes.on_spark import session
from conformance.dataframes.reference import Outcome, Reference, Written
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
Found: TypeAlias = tuple[int, list[str] | str]
"""The number of a program, and its differences, or why there are none to be had."""

_ROWS_OF_A_FILE = 8
_EVERY_UPDATE = {"statestore.cache.max.bytes": 0}
"""The reference commits after each record, so every update is an output."""
_ONE_COMMIT = {
    "statestore.cache.max.bytes": 10_000_000,
    "commit.interval.ms": 600_000,
    "producer.transaction.timeout.ms": 600_000,
    "penstock.spark.slots": 1,
}
"""A second worker would take tasks over, which commits."""
_OUTPUT_SECONDS = 120
_BUSY = "Python worker failed to connect back"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random program that can be compared, and what it must write."""

    seed: int
    description: Description
    files: list[list[Line]]
    inputs: Inputs
    sinks: Collection[str]
    fixed: dict[str, bool]
    """The topics that are compared; yes where their order is, too."""
    expected: Outcome

    @property
    def partitions(self) -> int:
        """Of each topic."""
        return 1 + self.seed % 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs that the command line asks for; return 0 if all agree."""
    parser = argparse.ArgumentParser(prog="conformance.dataframes.between", description=__doc__)
    parser.add_argument("--programs", type=int, default=50, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--at-once", type=int, default=3, help="how many run at once")
    options = parser.parse_args(arguments)
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    with (
        tempfile.TemporaryDirectory(prefix="penstock-between-") as work,
        LocalBroker(Path(work) / "broker") as broker,
        # Each has two slots at most, and queries beside them.
        session(long=True, cores=3 * options.at_once) as spark,
        ThreadPoolExecutor(options.at_once) as threads,
    ):

        def run(one: Drawn) -> Found:
            return _found(one, spark, broker.bootstrap_servers, Path(work) / str(one.seed))

        told = _told(options.first, options.programs, lambda one: threads.submit(run, one))
    for outcome, count in told.most_common():
        print(f"{count:5} {outcome}")
    return 1 if told["DIFFERS"] else 0


def _told(first: int, programs: int, start: Callable[[Drawn], Future[Found]]) -> Counter[str]:
    """Start programs until so many have ended that can be compared; return what came of them."""
    told: Counter[str] = Counter()
    seeds, running = itertools.count(first), set[Future[Found]]()
    # Those that are left out, or could not be run, do not count.
    while (missing := programs - told["agrees"] - told["DIFFERS"]) > 0:
        while len(running) < missing and sum(not one.running() for one in running) < 1:
            one = drawn(next(seeds))
            if isinstance(one, str):
                told[one] += 1
            else:
                running.add(start(one))
        ended, running = wait(running, return_when=FIRST_COMPLETED)
        for each in ended:
            seed, found = each.result()
            if isinstance(found, str):
                told[found] += 1
                continue
            shown = "DIFFERS" if found else "agrees"
            told[shown] += 1
            print(f"program {seed}: {shown}", *found, sep="\n", flush=True)
    return told


def _found(one: Drawn, spark: SparkSession, servers: str, folder: Path) -> Found:
    try:
        return one.seed, list(_differences(one, spark, servers, folder))
    except Exception as error:
        if _BUSY in str(error):
            why = "not run: Spark's Python processes do not start in time on this machine"
            return one.seed, why
        # One that cannot be run must not hide the others.
        return one.seed, [f"  cannot be run: {type(error).__name__}: {error}"[:2000]]


def differences(seed: int, spark: SparkSession, servers: str, folder: Path) -> list[str] | str:
    """Return how a random program differs between DataFrames, or why it is left out."""
    one = drawn(seed)
    return one if isinstance(one, str) else list(_differences(one, spark, servers, folder))


def drawn(seed: int) -> Drawn | str:
    """Return a random program with what it must write, or why it is left out."""
    description = without_ties(renamed(generator.generate(seed), f"between-{seed}-"))
    # The rows of a file are sorted by time, as the sink does it.
    files = _in_files(description)
    description = replace(description, input=[line for file in files for line in file])
    if reason := _why_not(description):
        return f"left out: {reason}"
    program, partitions = DescribedProgram(description), 1 + seed % 2
    topology = program.topology(say_nothing)
    inputs = inputs_of(description.input, topology, partitions)
    is_cached = commits_once(seed)
    plan = planned(topology, settings_of(_config(program, seed)), inputs, partitions)
    fixed = fixed_topics(plan, by_user_only=is_cached)
    if plan.has_routed_sinks or not fixed:
        return "left out: records name its topics, or its input fixes nothing that it writes"
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # programs print
            expected = Reference(plan, inputs, commits_once=is_cached).topics
    except StreamsError:
        return "left out: the program is meant to fail"
    return Drawn(seed, description, files, inputs, plan.sinks, fixed, expected)


def commits_once(seed: int) -> bool:
    """Return whether a program has a cache, and commits at its end alone."""
    return seed % 3 == 0


def _config(program: DescribedProgram, seed: int) -> dict[str, object]:
    return {**config_of(program), **(_ONE_COMMIT if commits_once(seed) else _EVERY_UPDATE)}


def _differences(one: Drawn, spark: SparkSession, servers: str, folder: Path) -> Iterator[str]:
    _write_files(folder, one.files, one.inputs)
    got = _outcome(one, spark, servers, folder)
    return _compared(one.expected, got, one.fixed, one.partitions)


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


def without_ties(drawn: Description) -> Description:
    """Return a program no two of whose topics have a timestamp in common: a task takes such records
    as their queues come to be filled, and the input does not fix that. The later one moves on.
    """
    topics: dict[int, str] = {}
    lines: list[Line] = []
    for line in drawn.input:
        time = line["timestamp"]
        while topics.setdefault(time, line["topic"]) != line["topic"]:
            time += 1
        lines.append({**line, "timestamp": time})
    return replace(drawn, input=lines)


def fixed_topics(plan: JobPlan, *, by_user_only: bool = False) -> dict[str, bool]:
    """Return the user's topics whose records the input fixes, and whether one task at most writes
    to each partition, given one partition. With `by_user_only`, no other topic is before them.
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
            if by_user or (by_one and not by_user_only):
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


def _outcome(one: Drawn, spark: SparkSession, servers: str, folder: Path) -> Outcome:
    """Run a program between DataFrames; return what the topics hold that are compared."""
    program = DescribedProgram(one.description)
    has_room = spark.sparkContext.defaultParallelism > 1 + one.partitions
    config = {
        **({"penstock.spark.slots": one.partitions} if has_room else {}),
        **settings_of(_config(program, one.seed)).given(),
        "application.id": f"between-{one.seed}",
        "bootstrap.servers": servers,
        "state.dir": str(folder / "state"),
        "penstock.turn.ms": 2000,
    }
    inputs: dict[str, DataFrame] = {}
    for topic in one.inputs:
        reader = spark.readStream.schema(_SCHEMA).option("maxFilesPerTrigger", 1)
        inputs[topic] = reader.json(str(folder / topic)).selectExpr(*_BYTES)
    written: Outcome = {}
    found: list[Any] = []

    def keep(batch: DataFrame, _number: int) -> None:
        found.extend(batch.collect())

    with streams.run(
        program.topology(say_nothing),
        inputs,
        config,
        partitions=dict.fromkeys([*one.inputs, *one.sinks], one.partitions),
        folder=folder / "run",
        available_now=True,
    ) as result:
        frames = [result[topic].selectExpr(f"'{topic}' AS topic", "*") for topic in one.fixed]
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
        sides = _by_place(expected, topic, partitions), _by_place(got, topic, partitions)
        for place in sides[0]:
            wanted, seen = (side[place] for side in sides)
            if not is_ordered:
                wanted, seen = sorted(wanted, key=repr), sorted(seen, key=repr)
            if wanted != seen:
                yield f"  topic {topic}, {place}: expected {wanted!r}"[:2000]
                yield f"  got {seen!r}"[:2000]


def _by_place(outcome: Outcome, topic: str, partitions: int) -> dict[str, list[Written]]:
    """Return the records of a topic by partition; those without a key together, since the producer
    puts them into any of several.
    """
    places = {
        f"partition {number}": outcome.get((topic, number), []) for number in range(partitions)
    }
    if partitions == 1:
        return places
    keyless = [one for records in places.values() for one in records if one[0] is None]
    keyed = {place: [one for one in of if one[0] is not None] for place, of in places.items()}
    return {**keyed, "without a key": keyless}


if __name__ == "__main__":
    sys.exit(main())
