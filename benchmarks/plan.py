"""What is measured: from the command line to a list of parts. No I/O."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.contenders import AT_LEAST_ONCE, CONTENDERS, EXACTLY_ONCE
from benchmarks.results import FILE
from benchmarks.workloads import WORKLOADS

PARTS: Final = ("throughput", "latency", "restore", "growth-partitions", "growth-keys")
GUARANTEES: Final = (EXACTLY_ONCE, AT_LEAST_ONCE)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and how thoroughly."""

    parts: Sequence[str]
    workloads: Sequence[str]
    contenders: Sequence[str]
    guarantees: Sequence[str]
    rounds: int
    records: int | None
    latency_seconds: int
    java_settings: Sequence[str] = ()
    patience_seconds: float = 300
    results: Path = FILE
    report_only: bool = False

    @property
    def chart(self) -> Path:
        """Return the picture's place: beside the results."""
        return self.results.with_suffix(".svg")


def parse(arguments: Sequence[str] | None = None) -> Plan:
    """Read the command line. Without any: Penstock against Java, all workloads, exactly-once."""
    given = _parser().parse_args(arguments)
    full = given.full
    parts, workloads = chosen(given.only, PARTS if full else PARTS[:1])
    contenders = given.contenders or (list(CONTENDERS) if full else ["penstock", "java"])
    return Plan(
        parts=parts,
        workloads=workloads,
        contenders=contenders,
        guarantees=given.guarantee or (GUARANTEES if full else GUARANTEES[:1]),
        rounds=given.rounds,
        records=given.records,
        latency_seconds=given.latency_seconds,
        java_settings=given.java_setting,
        patience_seconds=given.patience,
        results=given.results,
        report_only=given.report,
    )


def chosen(only: Sequence[str], usual: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the parts and workloads that were asked for: a workload by name means its throughput,
    no workload means all of them.
    """
    workloads = [name for name in WORKLOADS if name in only]
    parts = [part for part in PARTS if part in only]
    if workloads and "throughput" not in parts:
        parts.insert(0, "throughput")
    return parts or list(usual), workloads or list(WORKLOADS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure Penstock side by side with Java Kafka Streams and with others.",
    )
    parser.add_argument("--full", action="store_true", help="all parts, rivals and guarantees")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=[*PARTS, *WORKLOADS],
        metavar="NAME",
        help=f"only these parts ({', '.join(PARTS)}) or workloads ({', '.join(WORKLOADS)})",
    )
    parser.add_argument("--contenders", nargs="+", choices=list(CONTENDERS), metavar="NAME")
    parser.add_argument("--guarantee", nargs="+", choices=GUARANTEES)
    parser.add_argument("--rounds", type=int, default=2, help="turns of each contender (2)")
    parser.add_argument("--records", type=int, help="input records in place of each one's own")
    parser.add_argument("--latency-seconds", type=int, default=60)
    parser.add_argument(
        "--java-setting", action="append", default=[], metavar="KEY=VALUE", help="for Java alone"
    )
    parser.add_argument(
        "--patience", type=float, default=300, help="seconds without progress that are too many"
    )
    parser.add_argument(
        "--results", type=Path, default=FILE, help="the file that is added to; a chart is beside it"
    )
    parser.add_argument("--report", action="store_true", help="measure nothing, show what is known")
    return parser
