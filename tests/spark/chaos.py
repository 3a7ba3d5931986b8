"""Exactly-once under fire: workers and drivers of a real application on Spark are killed at random.

`python -m tests.spark.chaos --records 200000 --seeds 1 2 3` is the long form (`make chaos`); the
test suite runs a short one. All kills happen while records are being worked on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from penstock._engine.kafka.broker import LocalBroker
from tests.crash.fleet import Fleet, all_updates, by_letter, counted_once, produce

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


class Driver:
    """A driver process; what it last told about its workers is kept."""

    def __init__(self, fleet: Fleet) -> None:
        self.state, self.pids = "", list[int]()
        self.said: list[str] = []
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(HERE / "two_counts_on_spark.py"),
                fleet.bootstrap_servers,
                str(fleet.state_dir / "state"),
                fleet.application_id,
                fleet.guarantee,
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A session of its own, so that a kill of the driver can take its JVM along.
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait_until_running(self, seconds: float = 180.0) -> None:
        """Wait until workers have reported."""
        until = time.monotonic() + seconds
        while not (self.state == "RUNNING" and self.pids):
            assert time.monotonic() < until, "".join(self.said[-40:])
            assert self.process.poll() is None, "".join(self.said[-40:])
            time.sleep(0.1)

    def kill_worker(self, chance: random.Random) -> bool:
        """Kill one of the processes that do the work."""
        if not self.pids:
            return False
        with suppress(ProcessLookupError):
            os.kill(chance.choice(self.pids), signal.SIGKILL)
        return True

    def kill(self) -> None:
        """Kill the driver and all that belongs to it, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self._ended()

    def stop(self) -> int:
        """End the application as a user would."""
        self.process.terminate()
        return self._ended()

    def _ended(self) -> int:
        code = self.process.wait(timeout=90)
        self._listener.join(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                told = json.loads(line)
                self.state, self.pids = told["state"], told["pids"]
            except ValueError:
                self.said.append(line)


def under_fire(fleet: Fleet, records: int, kills: int, seed: int) -> None:
    """Count `records` while workers, and once the driver, are killed; check the counts."""
    chance = random.Random(seed)
    fleet.create_topics()
    driver = Driver(fleet)
    driver.wait_until_running()
    written = produce(fleet, records // 2, seed)
    for number in range(kills):
        time.sleep(chance.uniform(0.3, 2.0))
        if number == kills // 2:
            driver.kill()
            print(f"seed {seed}: killed the driver", flush=True)
            driver = Driver(fleet)
            driver.wait_until_running()
        elif driver.kill_worker(chance):
            print(f"seed {seed}: killed a worker", flush=True)
        written += produce(fleet, records // 2 // kills, seed + 1000 + number)
    counts = all_updates(fleet, written.total(), "by-key", "by-letter")
    assert driver.stop() == 0, "".join(driver.said[-40:])
    assert counts["by-key"] == counted_once(written)
    assert counts["by-letter"] == counted_once(by_letter(written))


def main() -> None:
    """Run the long form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder) / "broker") as broker:
        for seed in given.seeds:
            fleet = Fleet(broker.bootstrap_servers, Path(folder), f"chaos-{seed}")
            start = time.monotonic()
            under_fire(fleet, given.records, given.kills, seed)
            seconds = time.monotonic() - start
            print(f"seed {seed}: {given.records} records, each counted once, {seconds:.0f} s")
    print(f"{len(given.seeds)} passed, 0 failed")


if __name__ == "__main__":
    main()
