"""A backfill against the live engine and Java Kafka Streams, each from a topic's beginning.

`python benchmarks/backfill.py` fills a topic and lets each contender count orders by user: the
backfill on one core and on two, Penstock live and Java with two threads. Rates are records per
second between a fifth and nine tenths of the input, for the backfill over its whole job; `whole` is
the time from the start of the process until the last offset is committed, Spark's start included.
With `--memory` the backfill is run on a tenth of the records and on all, and the largest memory of
its Python workers and of its JVM is taken.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from against_java import HERE, RESULTS, Bench, fill, throughput

from penstock._engine.kafka.broker import LocalBroker

GUARANTEE = "exactly_once_v2"
MEGABYTE = 1024 * 1024
PAGE_BYTES = 4096


class Backfill:
    """A backfill as a process of its own."""

    def __init__(self, bench: Bench, topic: str, master: str, number: str) -> None:
        application = f"backfill-{number}"
        target = bench.topic(f"{application}-out")
        settings = ["--set", f"penstock.spark.master={master}"]
        program = [str(HERE / "count_on_spark.py"), bench.bootstrap, application, topic, target]
        rest = [GUARANTEE, str(bench.folder / "state" / application)]
        penstock = [sys.executable, "-c", "import penstock.cli as c, sys; sys.exit(c.main())"]
        command = [*penstock, "backfill", "--json", *settings]
        self._log = (bench.folder / f"{application}.log").open("w")
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            [*command, *program, *rest], stdout=subprocess.PIPE, stderr=self._log
        )
        self.peaks = {"workers": 0, "jvm": 0, "driver": 0}

    def finish(self) -> dict[str, Any]:
        """Wait for its end, looking at its memory; give what it tells, and the whole time."""
        while self._process.poll() is None:
            for kind, used in memory_of(self._process.pid).items():
                self.peaks[kind] = max(self.peaks[kind], used)
            time.sleep(0.2)
        self._log.close()
        assert self._process.stdout is not None
        told = self._process.stdout.read()
        if self._process.returncode:
            msg = f"the backfill failed: {Path(self._log.name).read_text()[-2000:]}"
            raise RuntimeError(msg)
        report: dict[str, Any] = json.loads(told)
        return {**report, "whole": time.monotonic() - self._began}


def memory_of(root: int) -> dict[str, int]:
    """Give the resident bytes of a driver, of its JVM, and of the Python workers below that."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
            except OSError:
                continue  # it has just ended
    found, used = {root}, {"workers": 0, "jvm": 0, "driver": 0}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    for pid in found:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        kind = "driver" if pid == root else "jvm" if b"java" in words[0] else "workers"
        used[kind] += pages * PAGE_BYTES
    return used


def measure_rates(bench: Bench, topic: str, records: int, rounds: int) -> dict[str, Any]:
    """Give the median rate of each contender."""
    rates: dict[str, list[float]] = {}
    wholes: dict[str, list[float]] = {}
    for number in range(rounds):
        for cores in (1, 2):
            name = f"backfill, local[{cores}]"
            told = Backfill(bench, topic, f"local[{cores}]", f"{cores}-{number}").finish()
            rates.setdefault(name, []).append(records / told["seconds"])
            wholes.setdefault(name, []).append(told["whole"])
            print(f"  {number + 1}: {name} {rates[name][-1]:,.0f}/s", flush=True)
        for contender in ("penstock", "java"):
            began = time.monotonic()
            rate = throughput(bench, contender, topic, records, GUARANTEE)
            name = "live, 2 threads" if contender == "penstock" else "java, 2 threads"
            rates.setdefault(name, []).append(rate)
            wholes.setdefault(name, []).append(time.monotonic() - began)
            print(f"  {number + 1}: {name} {rate:,.0f}/s", flush=True)
    return {
        name: {
            "records_per_second": round(statistics.median(values)),
            "whole_seconds": round(statistics.median(wholes[name]), 1),
        }
        for name, values in rates.items()
    }


def measure_memory(bench: Bench, records: int, keys: int) -> dict[str, Any]:
    """Give the largest memory, in megabytes, for a tenth of the records and for all."""
    peaks: dict[str, Any] = {}
    for count in (records // 10, records):
        topic = bench.topic(f"memory-{count}")
        fill(bench, topic, count, keys)
        run = Backfill(bench, topic, "local[2]", f"memory-{count}")
        run.finish()
        peaks[f"{count} records"] = {
            kind: round(used / MEGABYTE) for kind, used in run.peaks.items()
        }
        print(f"  {count} records: {peaks[f'{count} records']} MB", flush=True)
    return peaks


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="measure memory as well")
    given = parser.parse_args()
    results: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder) / "broker", jvm_options=["-XX:TieredStopAtLevel=4"]) as broker,
    ):
        bench = Bench(Path(folder), broker)
        if given.rounds:
            topic = bench.topic("orders")
            fill(bench, topic, given.records, given.keys)
            results["rates"] = measure_rates(bench, topic, given.records, given.rounds)
        if given.memory:
            results["memory_mb"] = measure_memory(bench, given.records, given.keys)
    print(json.dumps(results, indent=2))
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**known, "backfill": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
