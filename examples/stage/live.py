"""A show, live: its input is written and its results are shown while it runs, until Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

from examples.stage.show import Show
from examples.stage.topics import Reader, Writer, last_timestamp, read_all
from penstock import KafkaStreams, State
from penstock.broker import local_cluster
from penstock.clock import SystemClock, monotonic

_PACE_SECONDS = 0.1
_READ_SECONDS = 0.2
_START_MS = 600_000
_BEGINS_BEFORE_MS = 20 * 3_600_000
"""How long ago the events of the first run begin: they are in quick motion until it is now."""
_AT_WORK = frozenset({State.RUNNING, State.REBALANCING})
_ENDED = frozenset({State.NOT_RUNNING, State.ERROR})


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
        helpers = [
            _Helper(streams, lambda: _feed(show, streams, writer, number, begin)),
            _Helper(streams, lambda: _follow(show, streams, servers, lock)),
        ]
        if seconds is not None:
            helpers.append(_Helper(streams, lambda: _end_after(streams, seconds)))

        def panel(_figures: object, width: int) -> list[str]:
            with lock:
                return ["", *(line[: width - 1] for line in show.lines()), ""]

        try:
            streams.run(panel=panel)
        finally:
            for helper in helpers:
                helper.join()


def _begin(show: Show, servers: str) -> tuple[int, int]:
    """Give number and time to begin with: after those of earlier runs."""
    before = read_all(servers, show.inputs)
    now = SystemClock().now_ms()
    return len(before), max(now - _BEGINS_BEFORE_MS, last_timestamp(before) + 1)


def _feed(show: Show, streams: KafkaStreams, writer: Writer, first: int, begin: int) -> None:
    if not streams.wait_until(State.RUNNING, _START_MS):
        return
    began, played, pause, clock = monotonic(), 0, threading.Event(), SystemClock()
    while streams.state in _AT_WORK:
        due = int(show.rate * (monotonic() - began))
        while played < due:
            at = min(begin + played * show.step_ms, clock.now_ms())
            writer.write(show.messages(first + played, at))
            played += 1
        pause.wait(_PACE_SECONDS)
    writer.flush()


def _follow(show: Show, streams: KafkaStreams, servers: str, lock: threading.Lock) -> None:
    reader = Reader(servers, show.outputs)
    ended = False
    while not (ended and reader.has_all()):
        ended = streams.state in _ENDED  # before reading: what was written last is read as well
        records = reader.read(_READ_SECONDS)
        with lock:
            for record in records:
                show.take(record)
    reader.close()


def _end_after(streams: KafkaStreams, seconds: float) -> None:
    if streams.wait_until(State.RUNNING, _START_MS):
        until, pause = monotonic() + seconds, threading.Event()
        while monotonic() < until and streams.state in _AT_WORK:
            pause.wait(_PACE_SECONDS)
        streams.close()


class _Helper:
    """Does its part on a thread; if it fails, the show is over."""

    def __init__(self, streams: KafkaStreams, part: Callable[[], None]) -> None:
        self._streams = streams
        self._part = part
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._play, name="examples", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, and raise what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _play(self) -> None:
        try:
            self._part()
        except Exception as error:
            self._error = error
            self._streams.close()
