"""A program whose function ends its process at one record; a host that is nothing but a process.

`python -m tests.crash.deadly BOOTSTRAP STATE_DIR APPLICATION_ID HOW HANDLER` works until it has
read all there is. HOW is `exit` (os._exit), `crash` (in C) or `sys.exit`; HANDLER is `go-on` or
`fail`.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys

from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import bounded, prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from penstock.settings import StreamsConfig

TEXT = serdes.string()
POISON = "poison"


def topology(application_id: str, how: str) -> Topology:
    """Copy the input, and die at one value."""

    def copy(value: str) -> str:
        if value == POISON and how == "exit":
            os._exit(3)
        if value == POISON and how == "crash":
            ctypes.string_at(0)
        if value == POISON and how == "sys.exit":
            sys.exit(4)
        return value

    builder = StreamsBuilder()
    (
        builder.stream(f"{application_id}-in", Consumed(TEXT, TEXT))
        .map_values(copy)
        .to(f"{application_id}-out", Produced(TEXT, TEXT))
    )
    return builder.build()


def main(arguments: list[str]) -> None:
    """Work until all is read."""
    servers, state_dir, application_id, how, handler = arguments
    logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(message)s")
    settings: dict[str, object] = {
        "application.id": application_id,
        "bootstrap.servers": servers,
        "state.dir": state_dir,
        "processing.guarantee": "exactly_once_v2",
    }
    if handler == "go-on":
        settings["processing.exception.handler"] = LogAndContinueProcessingExceptionHandler()
    blueprint = bounded(prepare(topology(application_id, how), StreamsConfig(settings)))
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        try:
            while not worker.figures.drained():
                worker.step()
        except Exception as error:
            worker.abandon()
            print(f"failed: {error}", flush=True)
            sys.exit(1)
        worker.close()


if __name__ == "__main__":
    main(sys.argv[1:])
