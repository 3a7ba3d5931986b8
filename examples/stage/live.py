"""A show, live: its input is written and its results are shown while it runs, until Ctrl-C."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack

from examples.stage.show import Show
from examples.stage.topics import Reader, Writer, last_timestamp, read_all
from penstock import KafkaStreams, State
from penstock.broker import local_cluster
from penstock.cli.demo.attendants import AT_WORK, ENDED, PACE_SECONDS, START_MS, attended

_READ_SECONDS = 0.2
_BEGINS_BEFORE_MS = 20 * 3_600_000
"""How long ago the events of the first run begin: they are in quick motion until it is now."""


def settings_of(show: Show) -> dict[str, object]:
    """Give the settings of a show's program."""
    guarantee = {"processing.guarantee": "exactly_once_v2"}
    return {"application.id": show.name.replace("_", "-"), **guarantee, **show.settings}


def perform(show: Show, seconds: float | None = None) -> None:
    """Run until Ctrl-C, or for so many seconds of work."""
    # Built once for the names of its topics, and again when it is ready.
    with ExitStack() as stack:
        whole = stack.enter_context(local_cluster(show.topology(), settings_of(show)))
        show.prepare(whole)
        topology, servers = show.topology(), whole.bootstrap_servers
        stack.enter_context(show.beside(whole))
        number, begin = _begin(show, servers)
        writer = Writer(servers)
        writer.write(show.first(begin))
        writer.flush()
        streams, lock = KafkaStreams(topology, whole), threading.Lock()
        parts = (
            lambda: _feed(show, streams, writer, number, begin),
            lambda: _follow(show, streams, servers, lock),
        )

        def panel(_figures: object, width: int) -> list[str]:
            with lock:
                return ["", *(line[: width - 1] for line in show.lines()), ""]

        with attended(streams, parts, seconds):
            streams.run(panel=panel)


def now_ms() -> int:
    """Return the wall-clock time."""
    return time.time_ns() // 1_000_000


def _begin(show: Show, servers: str) -> tuple[int, int]:
    """Give number and time to begin with: after those of earlier runs."""
    before = read_all(servers, show.inputs)
    now = now_ms()
    return len(before), max(now - _BEGINS_BEFORE_MS, last_timestamp(before) + 1)


def _feed(show: Show, streams: KafkaStreams, writer: Writer, first: int, begin: int) -> None:
    if not streams.wait_until(State.RUNNING, START_MS):
        return
    began, played, pause = time.monotonic(), 0, threading.Event()
    while streams.state in AT_WORK:
        due = int(show.rate * (time.monotonic() - began))
        while played < due:
            at = min(begin + played * show.step_ms, now_ms())
            writer.write(show.messages(first + played, at))
            played += 1
        pause.wait(PACE_SECONDS)
    writer.flush()


def _follow(show: Show, streams: KafkaStreams, servers: str, lock: threading.Lock) -> None:
    reader = Reader(servers, show.outputs)
    ended = False
    while not (ended and reader.has_all()):
        ended = streams.state in ENDED  # before reading: what was written last is read as well
        records = reader.read(_READ_SECONDS)
        with lock:
            for record in records:
                show.take(record)
    reader.close()
