"""A backfill against the live engine and Java Kafka Streams, each from a topic's beginning.

`python -m benchmarks.backfill` lets each count the orders of a topic by user, exactly-once: the
backfill on one core and on two, Penstock live and Java with two threads, in turns. The live ones
are measured as always; the rate of a backfill is that of its whole job, without Spark's start. With
`--memory` the backfill runs on a tenth of the records, too, and the memory of both runs is kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import plan, report, results, throughput
from benchmarks.bench import Bench, opened, stopwatch
from benchmarks.contenders import BACKFILLS, CONTENDERS, EXACTLY_ONCE
from benchmarks.session import Entries, Session
from benchmarks.throughput import Contest
from benchmarks.workloads import WORKLOADS

RECORDS = 2_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, keep and show."""
    given = _parser().parse_args(arguments)
    wanted = replace(plan.parse([]), rounds=given.rounds, results=given.results)
    with opened(wanted, stopwatch()) as bench:
        live = [CONTENDERS[name] for name in wanted.contenders]
        ready = bench.prepare([*BACKFILLS.values(), *live])
        session = Session(bench, wanted, ready)
        contest = contest_of(given.records)
        path = ("backfill", contest.workload.name)
        session.compete([Entries(contest, ready, path)], given.rounds)
        if given.memory:
            for records in (given.records // 10, given.records):
                measure_memory(bench, session, records)
    print("\n" + report.backfill(results.load(wanted.results)))
    return 0


def contest_of(records: int) -> Contest:
    """Return the arguments that all contenders share."""
    workload = WORKLOADS["count-10k"]
    return Contest(workload, EXACTLY_ONCE, workload.inputs(records))


def measure_memory(bench: Bench, session: Session, records: int) -> None:
    """Keep the highest memory of a backfill on two cores, part by part."""
    run = throughput.measure(bench, BACKFILLS["backfill-2"], contest_of(records), None)
    used = {part: round(mb) for part, mb in run.memory_by_part_mb.items()}
    bench.say(f"memory in MB, {records:,} records: {used}")
    session.keep(("backfill-memory", str(records)), used)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.backfill",
        description="Measure a backfill beside the live engine and Java Kafka Streams.",
    )
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each contender (3)")
    parser.add_argument("--memory", action="store_true", help="measure memory as well")
    parser.add_argument("--results", type=Path, default=results.FILE, help="the file added to")
    return parser


if __name__ == "__main__":
    sys.exit(main())
