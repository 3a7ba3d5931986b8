"""Runs the recorded cases on Spark against a real broker: `make conformance-spark`.

`python -m conformance.on_spark` runs all cases that apply, `python -m conformance.on_spark filter
'join_*'` only these. Every record of every topic is compared with what Java wrote, in order:
outputs, repartition topics and changelogs, with key, value, timestamp and headers; so is what
programs log. What differs by nature is levelled in `levelling.py`.
"""

from __future__ import annotations

import argparse
import fnmatch
import logging
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance import cluster_run, differences, harness
from conformance.applicability import guarantee_for, tasks_race, why_not
from conformance.cluster_run import OpenApplication
from conformance.harness import Case
from conformance.levelling import as_far_as_committed, levelled, told_at_the_end
from penstock._clock import SystemClock, perf_counter
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ANY_TIME = {
    "log.message.timestamp.after.max.ms": (1 << 63) - 1,
    # Changelogs of windows are kept for a while, and most records are of 1970. Of those that are
    # compacted as well, the cleaner deletes.
    "log.retention.check.interval.ms": 1 << 40,
    "log.cleaner.backoff.ms": 1 << 40,
}
"""What lets a broker take records of any time, and keep them."""

_RUNS_OF_RACES = 4
"""How often a case whose tasks race is run at most until it is equal."""

GUARANTEES = ("exactly_once_v2", "at_least_once")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases named on the command line, or all; return 0 if all agree with Java."""
    options = _parse(arguments)
    # Programs that fail on purpose log it; a handler that does nothing keeps that off the terminal.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    cases = harness.all_cases(harness.CASES)
    chosen = _choose(options.names, list(cases))
    if unknown := [name for name, found in chosen.items() if not found]:
        print(f"no such case: {', '.join(unknown)}; the cases are the folders of {harness.CASES}/*")
        return 2
    names = dict.fromkeys(name for found in chosen.values() for name in found)
    left_out = {name: reason for name in names if (reason := why_not(cases[name]))}
    applicable = [cases[name] for name in names if name not in left_out]
    began = perf_counter()
    if options.lanes > 1 and len(applicable) > options.lanes:
        failed = _run_in_lanes(applicable, options)
    else:
        failed = _run_all(applicable, options) if applicable else 0
    minutes = (perf_counter() - began) / 60
    _tell_left_out(left_out, each=bool(options.names))
    print(
        f"{len(applicable) - failed} equal, {failed} differ, {len(left_out)} do not apply "
        f"({minutes:.1f} min)"
    )
    return 1 if failed else 0


def compare(
    case: Case, open_application: OpenApplication, servers: str, guarantee: str
) -> list[str]:
    """Run a case and return how it differs from Java, nothing if it does not."""
    began_ms = SystemClock().now_ms()
    seen = cluster_run.run(case, open_application, servers, guarantee_for(case, guarantee))
    while_it_ran = range(began_ms, SystemClock().now_ms() + 1)
    got = [levelled(line, while_it_ran) for line in seen.lines]
    expected = told_at_the_end([levelled(line) for line in case.expected])
    expected = as_far_as_committed(expected, got)
    return [*differences.of_steps(case.steps, expected, got)]


@contextmanager
def hosting_session(work: Path) -> Iterator[SparkSession]:
    """Yield a SparkSession to host many applications, one after the other; its log is in `work`."""
    # Only running cases here needs Spark.
    from penstock._engine.spark.session import session_for  # noqa: PLC0415

    settings = {
        "application.id": "conformance",
        "penstock.spark.master": "local[2,4]",
        "state.dir": str(work),
    }
    session, _ = session_for(StreamsConfig(settings), None)
    try:
        yield session
    finally:
        session.stop()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="conformance.on_spark", description="Compare with Java.")
    parser.add_argument("names", nargs="*", metavar="case", help="a folder of conformance/cases/*")
    parser.add_argument("--guarantee", choices=GUARANTEES, default=GUARANTEES[0])
    parser.add_argument(
        "--lanes", type=int, default=1, help="how many at once, each with its own broker and Spark"
    )
    return parser.parse_args(arguments)


def _choose(wanted: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the cases that each word of the command line means; all, if there is none."""
    return {word: fnmatch.filter(names, word) for word in wanted or ["*"]}


def _run_all(cases: Sequence[Case], options: argparse.Namespace) -> int:
    """Run cases one after the other; return how many failed."""
    from conformance.stage import Stage  # noqa: PLC0415

    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="penstock-conformance-") as work,
        LocalBroker(Path(work) / "broker", settings=_ANY_TIME) as broker,
        hosting_session(Path(work) / "spark") as spark,
        Stage(spark) as stage,
    ):
        compare_here = partial(
            compare,
            open_application=stage.application,
            servers=broker.bootstrap_servers,
            guarantee=options.guarantee,
        )
        for number, case in enumerate(cases, 1):
            began = perf_counter()
            runs, lines = _differences(case, compare_here)
            failed += bool(lines)
            times = "" if runs == 1 else f", run {runs} times"
            seconds = f"{perf_counter() - began:.1f} s{times}"
            verdict = f"{'FAIL' if lines else 'ok'} {case.name} ({seconds})"
            # The verdict last: a reader of several lanes shows all up to it in one piece.
            print(*lines, f"[{number}/{len(cases)}] {verdict}", sep="\n", flush=True)
    return failed


def _differences(case: Case, compare_here: Callable[[Case], list[str]]) -> tuple[int, list[str]]:
    """Return how often a case was run, and how it differs; again, if its tasks may race."""
    runs = 0
    while True:
        runs += 1
        try:
            lines = compare_here(case)
        except Exception as error:
            # One case that cannot be run must not hide the others.
            lines = [f"  cannot be run: {type(error).__name__}: {error}"]
        if not lines or runs == _RUNS_OF_RACES or not tasks_race(case):
            return runs, lines


def _run_in_lanes(cases: Sequence[Case], options: argparse.Namespace) -> int:
    """Run cases in processes side by side, since much of a case is waiting; return how many
    failed.
    """
    command = [sys.executable, "-m", "conformance.on_spark", "--guarantee", options.guarantee]
    shares = [[case.name for case in cases[lane :: options.lanes]] for lane in range(options.lanes)]
    lanes = [
        subprocess.Popen([*command, *share], stdout=subprocess.PIPE, text=True) for share in shares
    ]
    with ThreadPoolExecutor(options.lanes) as readers:
        equal = sum(readers.map(_tell_lane, lanes))
    # A lane that died has not run all its cases.
    return len(cases) - equal


def _tell_lane(lane: subprocess.Popen[str]) -> int:
    """Show what a lane prints; return how many of its cases were equal."""
    equal = 0
    told: list[str] = []
    with lane:
        assert lane.stdout is not None
        for line in lane.stdout:
            told.append(line)
            if line.startswith("["):
                equal += "] ok " in line
                print("".join(told), end="", flush=True)
                told.clear()
    return equal


def _tell_left_out(left_out: dict[str, str], *, each: bool) -> None:
    if each:
        for name, reason in left_out.items():
            print(f"does not apply: {name}: {reason}")
    else:
        for reason, count in Counter(left_out.values()).most_common():
            print(f"does not apply: {count:3} cases: {reason}")


if __name__ == "__main__":
    sys.exit(main())
