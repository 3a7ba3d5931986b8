"""How long from the moment a record is due to be sent until its result is seen by a read_committed
consumer. The topology is the count; each key comes once, so each record has one result.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

from confluent_kafka import TopicPartition

from benchmarks import figures
from benchmarks.bench import Bench
from benchmarks.contenders import EXACTLY_ONCE, ROOT, Contender
from benchmarks.processes import ContenderError, Running

PARTITIONS = 4
WARM_UP_SECONDS = 20
RATES = (500, 5_000)


def measure(bench: Bench, contender: Contender, rate: int, seconds: int) -> dict[str, Any]:
    """Measure for so many seconds, after a warm-up that begins with the first result.

    Raises:
        ContenderError: it ended, or no result came.
    """
    source = f"steady-{rate}-{contender.name}-{time.monotonic_ns()}"
    bench.cluster.create(source, PARTITIONS)
    with bench.running(contender, ("count", EXACTLY_ONCE), [source], PARTITIONS) as started:
        command = [sys.executable, "-m", "benchmarks.sender", bench.cluster.bootstrap, source]
        sender = subprocess.Popen([*command, str(rate)], cwd=ROOT)
        try:
            taken = _collect(bench, started.running, started.target, seconds)
        finally:
            sender.kill()
            sender.wait()
    bench.cluster.drop([source])
    return {**figures.percentiles(taken), "results": len(taken)}


def _collect(bench: Bench, running: Running, target: str, seconds: int) -> list[float]:
    consumer = bench.cluster.reader(f"latency-{target}")
    consumer.assign([TopicPartition(target, number, 0) for number in range(PARTITIONS)])
    taken: list[float] = []
    begin = time.monotonic()
    first: float | None = None
    while first is None or time.monotonic() < first + WARM_UP_SECONDS + seconds:
        message = consumer.poll(0.05)
        now = time.monotonic()
        if message is not None and message.error() is None:
            first = first or now
            if now > first + WARM_UP_SECONDS:
                taken.append(now * 1e3 - int(message.key() or b"0") / 1e6)
        elif first is None and now > begin + bench.patience_seconds:
            raise ContenderError(running.tale(f"no result after {bench.patience_seconds:.0f} s"))
    running.watch()
    consumer.close()
    return taken
