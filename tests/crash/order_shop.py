"""The order pipeline for crash tests, in a process without Spark, which dies where it is told to.

    python -m tests.crash.order_shop write SERVERS STATE_DIR DATABASE_URL [POINT]
    python -m tests.crash.order_shop relay SERVERS TABLE DATABASE_URL [POINT]

`write` works until SIGTERM, `relay` until the outbox is empty. POINT is a step, before or after it,
and how often it is passed: `commit:before:30`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from examples import order_pipeline
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.publisher import Publisher
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock.database import Connection, Database
from penstock.outbox import Outbox, OutboxRelay
from penstock.settings import StreamsConfig

STEPS: dict[str, tuple[Any, str]] = {
    "begin": (Connection, "begin"),
    "save": (order_pipeline, "save"),
    "commit": (Connection, "commit"),
    "send": (Publisher, "send"),
    "flush": (Publisher, "flush"),
}


def arm(point: str) -> None:
    """Have this process killed at a point."""
    step, when, count = point.split(":")
    owner, name = STEPS[step]
    setattr(owner, name, deadly(getattr(owner, name), when, int(count)))


def deadly(call: Callable[..., Any], when: str, count: int) -> Callable[..., Any]:
    """Return the same call, of which the process dies."""
    left = count

    def die_in_time() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def called(*arguments: Any) -> Any:
        if when == "before":
            die_in_time()
        result = call(*arguments)
        if when == "after":
            die_in_time()
        return result

    return called


def write(servers: str, state_dir: str, url: str) -> None:
    """Process orders until told to stop."""
    database, stop = Database(url), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    own = {"bootstrap.servers": servers, "state.dir": state_dir}
    quick = {"commit.interval.ms": 100, "consumer.session.timeout.ms": 3000}
    quick["producer.transaction.timeout.ms"] = 3000
    name = {"application.id": os.path.basename(state_dir)}
    config = StreamsConfig({**order_pipeline.settings, **own, **quick, **name})
    blueprint = prepare(order_pipeline.topology(database), config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        while not stop.is_set():
            worker.step()
        worker.close()


def relay(servers: str, table: str, url: str) -> None:
    """Publish what the outbox holds."""
    with OutboxRelay(Database(url), Outbox(table), {"bootstrap.servers": servers}) as relay:
        while relay.publish(limit=50):
            pass


def main(arguments: list[str]) -> None:
    """Do as told, until death."""
    part, servers, place, url, *points = arguments
    for point in points:
        arm(point)
    {"write": write, "relay": relay}[part](servers, place, url)


if __name__ == "__main__":
    main(sys.argv[1:])
