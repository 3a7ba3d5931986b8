"""A worker of the program in a plain process, without Spark: the fast lane's.

    python -m tests.chaos.worker SERVERS STATE_DIR APPLICATION_ID GUARANTEE TROUBLES

It works until SIGTERM. The machine's clock cannot be moved for one process; so this one adds the
milliseconds in the file `clock` of the TROUBLES folder to it.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from penstock._clock import SystemClock
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from tests.chaos.program import settings, topology


class JumpingClock(SystemClock):
    """The machine's clock, and what a file says on top."""

    def __init__(self, folder: str) -> None:
        self._file = Path(folder) / "clock"

    def now_ms(self) -> int:
        """Return the time that this process believes in."""
        offset = 0
        with suppress(FileNotFoundError, ValueError):
            offset = int(self._file.read_text())
        return super().now_ms() + offset


def die_with_parent() -> None:
    """End this process soon after the harness has died, however that happened."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(arguments: list[str]) -> None:
    """Work until told to stop."""
    die_with_parent()
    *given, troubles = arguments
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    config = settings(*given)
    # The harness asks for the stacks of a worker that does not end.
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    blueprint = prepare(topology(config.application_id, troubles), config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None, clock=JumpingClock(troubles))
        print("ready", flush=True)
        try:
            while not stop.is_set():
                worker.step()
        except BaseException:
            worker.abandon()
            raise
        worker.close()
    print("closed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
