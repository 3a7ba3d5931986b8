"""From the start of a process to its first committed result: `python -m benchmarks.startup`.

Penstock as `python app.py`, by `penstock run` and by `spark-submit`, and Java Kafka Streams, count
a topic that has one record for each partition, exactly-once. Each starts once for the first time,
is killed with SIGKILL as soon as a `read_committed` consumer has seen the results, and is started
again with one more record for each partition. They take turns; the seconds and the processor time
of all processes of a contender count, the median of the rounds is kept. `--before` names a
checkout of another commit that is set up, which takes part.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from confluent_kafka import TopicPartition

from benchmarks import plan, report, results
from benchmarks.bench import Bench, Started, opened, stopwatch
from benchmarks.contenders import BEFORE, CONTENDERS, EXACTLY_ONCE, STARTS, Contender, checkout
from benchmarks.processes import ContenderError, tree
from benchmarks.session import Session

PARTITIONS = 4
ROUNDS = 5
_ORDER = b'{"id":1,"user":"u","product":"p","cents":1,"quantity":1,"at":0}'
_COUNT = ("count", EXACTLY_ONCE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, keep and show."""
    given = _parser().parse_args(arguments)
    wanted = replace(plan.parse([]), results=given.results)
    asked = [CONTENDERS["penstock"], *STARTS.values(), CONTENDERS["java"]]
    if given.before:
        asked.append(checkout(given.before.resolve()))
    with opened(wanted, stopwatch()) as bench:
        ready = bench.prepare(one for one in asked if not given.only or one.name in given.only)
        session = Session(bench, wanted, ready)
        taken = _turns(bench, ready, given.rounds, given.crashes)
        for contender in ready:
            if taken[contender.name]:
                found = _medians(taken[contender.name])
                if contender.name == BEFORE:
                    found["commit"] = results.commit_of(given.before)
                session.keep(("startup", contender.name), found)
    print("\n" + report.startup(results.load(wanted.results)))
    return 0


def _turns(
    bench: Bench, contenders: Sequence[Contender], rounds: int, crashes: int
) -> dict[str, list[dict[str, float]]]:
    """Let the contenders start in turns, after one turn that does not count; in the first `crashes`
    that count they start again after a crash.
    """
    taken: dict[str, list[dict[str, float]]] = {one.name: [] for one in contenders}
    for number in range(rounds + 1):
        for contender in contenders:
            try:
                found = measure(bench, contender, number, crash=0 < number <= crashes)
            except ContenderError as error:
                bench.skip(f"startup/{contender.name}", str(error))
                continue
            which = f"round {number} of {rounds}" if number else "a turn that does not count"
            bench.say(f"{contender.title}, {which}: {found}")
            if number:
                taken[contender.name].append(found)
    return taken


def measure(bench: Bench, contender: Contender, number: int, *, crash: bool) -> dict[str, float]:
    """Return the seconds, and those of processors, of a first start and, if asked for, of one after
    a crash.

    Raises:
        ContenderError: it ended, or no result came in time.
    """
    application = f"{contender.name}-start-{number}"
    source, target = f"in-{application}", f"out-{application}"
    for topic in (source, target):
        bench.cluster.create(topic, PARTITIONS)
    try:
        with closing(bench.cluster.reader(f"reader-{application}")) as consumer:
            consumer.assign([TopicPartition(target, one, 0) for one in range(PARTITIONS)])

            def begin() -> tuple[float, float]:
                _send(bench, source)
                started = bench.started(contender, application, _COUNT, target, [source])
                with started as one:
                    return _until_results(bench, one, consumer.poll)

            starts = {"first": begin()}
            if crash:
                starts["after_crash"] = begin()
    finally:
        bench.forget(application)
        bench.cluster.drop([source])
    seconds = {f"{name}_s": round(taken, 2) for name, (taken, _) in starts.items()}
    return seconds | {f"{name}_cpu_s": round(used, 2) for name, (_, used) in starts.items()}


def _send(bench: Bench, source: str) -> None:
    producer = bench.cluster.producer()
    for partition in range(PARTITIONS):
        producer.produce(source, _ORDER, b"key of %d" % partition, partition)
    producer.flush()


def _until_results(
    bench: Bench, started: Started, poll: Callable[[float], Any]
) -> tuple[float, float]:
    """Wait for one result of each key, then kill all processes of the contender."""
    running, seen = started.running, set[bytes]()
    while len(seen) < PARTITIONS:
        message = poll(0.02)
        if message is not None and message.error() is None:
            seen.add(message.key())
        elif running.ended() or time.monotonic() > running.started + bench.patience_seconds:
            raise ContenderError(running.tale("no results after its start"))
    seconds = time.monotonic() - running.started
    running.note_use()
    for pid in tree(running.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return seconds, running.processor_seconds


def _medians(rounds: Sequence[dict[str, float]]) -> dict[str, Any]:
    names = dict.fromkeys(name for one in rounds for name in one)
    medians = {
        name: statistics.median(one[name] for one in rounds if name in one) for name in names
    }
    return {**medians, "rounds": [one["first_s"] for one in rounds]}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.startup",
        description="Measure the time from a start to the first committed result, beside Java.",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="starts of each (5)")
    parser.add_argument(
        "--crashes", type=int, default=ROUNDS, help="of these, also started after a crash (5)"
    )
    parser.add_argument("--before", type=Path, help="a checkout of another commit, set up")
    parser.add_argument("--only", nargs="+", default=[], help="only these contenders")
    parser.add_argument("--results", type=Path, default=results.FILE, help="the file added to")
    return parser


if __name__ == "__main__":
    sys.exit(main())
