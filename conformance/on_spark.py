"""Runs the recorded cases on Spark against a real broker: `make conformance-spark`.

`python -m conformance.on_spark` runs all cases that apply, `python -m conformance.on_spark filter`
only these. Every record of every topic is compared with what Java wrote, in order: outputs,
repartition topics and changelogs, with key, value, timestamp and headers; so is what programs log.
Timestamps 0 and 1 count as equal: librdkafka takes 0 for "now", so 1 is sent for it.
"""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import cluster_run, differences, harness
from conformance.applicability import guarantee_for, why_not
from conformance.harness import Case, Line
from penstock._engine.kafka.broker import LocalBroker
from penstock.clock import perf_counter
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GUARANTEES = ("exactly_once_v2", "at_least_once")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases named on the command line, or all; return 0 if all agree with Java."""
    options = _parse(arguments)
    # Programs that fail on purpose log it; a handler that does nothing keeps that off the terminal.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    cases = {case.name: case for case in harness.all_cases(harness.CASES)}
    if unknown := [name for name in options.names if name not in cases]:
        print(f"no such case: {', '.join(unknown)}; the cases are the folders of {harness.CASES}")
        return 2
    chosen = [cases[name] for name in options.names or cases]
    left_out = {case.name: reason for case in chosen if (reason := why_not(case))}
    _tell_left_out(left_out, each=bool(options.names))
    chosen = [case for case in chosen if case.name not in left_out]
    if options.lanes > 1 and len(chosen) > options.lanes:
        failed = _run_in_lanes(chosen, options)
    else:
        failed = _run_all(chosen, options) if chosen else 0
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


def compare(case: Case, spark: SparkSession, servers: str, guarantee: str) -> list[str]:
    """Run a case and return how it differs from Java, nothing if it does not."""
    seen = cluster_run.run(case, spark, servers, guarantee_for(case, guarantee))
    expected = _told_at_the_end([_levelled(line) for line in case.expected])
    return [*differences.of_steps(case.steps, expected, [_levelled(line) for line in seen.lines])]


@contextmanager
def hosting_session(work: Path) -> Iterator[SparkSession]:
    """Give a SparkSession to host many applications, one after the other; its log is in `work`."""
    # Only whoever runs cases here needs Spark.
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
    parser.add_argument("names", nargs="*", metavar="case", help="a folder of conformance/cases")
    parser.add_argument("--guarantee", choices=GUARANTEES, default=GUARANTEES[0])
    parser.add_argument(
        "--lanes", type=int, default=1, help="how many at once, each with its own broker and Spark"
    )
    return parser.parse_args(arguments)


def _run_all(cases: Sequence[Case], options: argparse.Namespace) -> int:
    """Run cases one after the other; return how many failed."""
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="penstock-conformance-") as work,
        LocalBroker(Path(work) / "broker") as broker,
        hosting_session(Path(work) / "spark") as spark,
    ):
        for number, case in enumerate(cases, 1):
            began = perf_counter()
            lines = _differences(case, spark, broker.bootstrap_servers, options.guarantee)
            failed += bool(lines)
            verdict = "FAIL" if lines else "ok"
            place = f"[{number}/{len(cases)}]"
            print(f"{place} {verdict} {case.name} ({perf_counter() - began:.1f} s)", flush=True)
            if lines:
                print(*lines, sep="\n", flush=True)
    return failed


def _run_in_lanes(cases: Sequence[Case], options: argparse.Namespace) -> int:
    """Run cases in processes side by side, since most of a case is waiting; return how many
    failed.
    """
    command = [sys.executable, "-m", "conformance.on_spark", "--guarantee", options.guarantee]
    lanes = [
        subprocess.Popen(
            [*command, *(case.name for case in cases[number :: options.lanes])],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(options.lanes)
    ]
    with ThreadPoolExecutor(options.lanes) as readers:
        failures = list(readers.map(_tell_lane, lanes))
    return sum(failures)


def _tell_lane(lane: subprocess.Popen[str]) -> int:
    """Show what a lane prints; return how many of its cases failed."""
    failed = 0
    with lane:
        assert lane.stdout is not None
        for line in lane.stdout:
            if " passed, " in line:
                continue
            failed += line.startswith("[") and "] FAIL " in line
            print(line, end="", flush=True)
    # A lane that died without a word has not run its cases.
    return failed or int(lane.returncode not in {0, 1})


def _differences(case: Case, spark: SparkSession, servers: str, guarantee: str) -> list[str]:
    try:
        return compare(case, spark, servers, guarantee)
    except Exception as error:
        # One case that cannot be run must not hide the others.
        return [f"  cannot be run: {type(error).__name__}: {error}"]


def _levelled(line: Line) -> Line:
    """Give a line with timestamps of 1 as 0."""

    def level(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "timestamp": 0} if record["timestamp"] == 1 else record

    output = {
        topic: [level(record) for record in records]
        for topic, records in line.get("output", {}).items()
    }
    return {**line, "output": output} if output else dict(line)


def _told_at_the_end(lines: list[Line]) -> list[Line]:
    """Move what workers tell in their reports to the last line."""
    printed = [text for line in lines for text in line.pop("stdout", ())]
    for line in lines[:-1]:
        line.pop("dropped", None)  # it is the count so far
    if printed:
        lines[-1]["stdout"] = printed
    return lines


def _tell_left_out(left_out: dict[str, str], *, each: bool) -> None:
    if each:
        for name, reason in left_out.items():
            print(f"left out: {name}: {reason}")
    else:
        for reason, count in Counter(left_out.values()).most_common():
            print(f"left out: {count:3} cases: {reason}")


if __name__ == "__main__":
    sys.exit(main())
