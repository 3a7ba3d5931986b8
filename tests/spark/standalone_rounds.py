"""`make cluster`: the long form of tests/spark/test_standalone.py.

A program on a standalone cluster counts while executors are killed, and workers reboot and join,
first with dynamic allocation, then without. After each fault every record that was written is
counted once; a line says how long that took, and whether tasks are where their state was.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.spark.standalone import Standalone, kill_executor_of
from tests.spark.test_standalone import GROWS, NAME, PARTITIONS, Counting, submit

WORKERS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both forms; return 0 if all was counted once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="faults in each form")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    for form in ("dynamic", "fixed"):
        with (
            tempfile.TemporaryDirectory() as folder,
            LocalBroker(Path(folder) / "broker") as broker,
        ):
            run(form, broker, Path(folder), random.Random(f"{form}{given.seed}"), given.rounds)
    return 0


def run(form: str, broker: LocalBroker, folder: Path, chance: random.Random, rounds: int) -> None:
    """Run one form of the cluster."""
    settings = GROWS if form == "dynamic" else {}
    for end in ("in", "out"):
        broker.create_topic(f"{NAME}-{end}", PARTITIONS)
    (folder / "cluster").mkdir()
    cluster = Standalone(folder / "cluster", WORKERS)
    submitted = submit(cluster, folder, broker.bootstrap_servers, settings)
    counting = Counting(broker, submitted)
    try:
        counting.wait_for_machines(WORKERS)
        counting.count()
        for number in range(rounds):
            before, began = counting.homes(), time.monotonic()
            fault = "join" if number == rounds // 2 else chance.choice(["executor", "reboot"])
            if fault == "join":
                cluster.add_worker()
            elif fault == "executor":
                victim = chance.choice(list(counting.running().values()))
                kill_executor_of(victim["pid"])
            else:
                cluster.restart_worker(chance.choice(cluster.workers()))
            counting.count()
            counted = time.monotonic() - began
            counting.wait_for_machines(len(cluster.workers()))
            settled = time.monotonic() - began
            same = sum(before.get(task) == home for task, home in counting.homes().items())
            print(
                f"{form} {number + 1}/{rounds} {fault}: counted after {counted:.1f} s, on all "
                f"machines after {settled:.1f} s, {same} of {PARTITIONS} tasks where they were",
                flush=True,
            )
        assert submitted.end() == 0, submitted.said()[-8000:]
    finally:
        submitted.close()
        counting.close()
        cluster.close()
    for counts in counting.counts.values():
        assert counts == list(range(1, len(counts) + 1)), "lost or doubled"
    print(f"{form}: {counting.written:,} records, each counted once", flush=True)


if __name__ == "__main__":
    sys.exit(main())
