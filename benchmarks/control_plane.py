"""What the control plane costs the driver: `python -m benchmarks.control_plane [WORKERS TASKS]`.

Simulated workers in another process send their reports to the real control server, each four times
a second with its metrics each second. Printed is the share of a core that the driver's process
uses, and how long reports wait for their answers.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import threading
import time
from multiprocessing.connection import Connection

from penstock._engine.control.protocol.client import ControlClient
from penstock._engine.control.protocol.messages import ControlAddress, Instruction
from tests.unit.engine.control.crowd import Driver, report_of

SECONDS = 10.0
WARM_UP_SECONDS = 3.0
REPORTS_EACH_SECOND = 4


def main(workers: int = 200, tasks: int = 2_000) -> None:
    """Measure and print."""
    for replicas in (0, 1):
        driver = Driver(workers, tasks, replicas)
        here, there = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        crowd = context.Process(
            target=_crowd, args=(driver.server.address, workers, driver.task_ids, there)
        )
        crowd.start()
        here.recv()
        time.sleep(WARM_UP_SECONDS)
        cpu, wall = time.process_time(), time.monotonic()
        time.sleep(SECONDS)
        share = (time.process_time() - cpu) / (time.monotonic() - wall)
        driver.query._stop = True  # no worker is missed
        here.send("end")
        waits = here.recv()
        crowd.join()
        driver.server.close()
        print(
            f"{workers} workers, {tasks:,} tasks, {replicas} standbys: {share:.1%} of a core; "
            f"{len(waits):,} reports answered in {statistics.median(waits) * 1000:.1f} ms "
            f"(median), {max(waits) * 1000:.0f} ms (longest)"
        )


def _crowd(address: ControlAddress, workers: int, tasks: tuple[str, ...], pipe: Connection) -> None:
    waits: list[float] = []
    end = threading.Event()

    def work(index: int) -> None:
        client, number = ControlClient(address), 0
        due = time.monotonic() + index / workers / REPORTS_EACH_SECOND
        while not end.is_set():
            end.wait(max(0.0, due - time.monotonic()))
            due += 1 / REPORTS_EACH_SECOND
            number += 1
            report = report_of(index, number, workers, tasks)
            begin = time.monotonic()
            client.ask("report", report, Instruction)
            waits.append(time.monotonic() - begin)
        client.close()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(workers)]
    for thread in threads:
        thread.start()
    pipe.send("began")
    pipe.recv()
    end.set()
    for thread in threads:
        thread.join()
    pipe.send(waits)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
