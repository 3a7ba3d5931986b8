"""The demonstration runs: the application, its input and the reading of its results."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack

from penstock._engine.kafka.embedded import embedded_cluster
from penstock._engine.kafka.topic_io import TopicReader, TopicWriter, record_count
from penstock.application import KafkaStreams, State
from penstock.cli.demo import lifelike, program
from penstock.cli.demo.panel import Results
from penstock.clock import monotonic
from penstock.settings import StreamsConfig
from penstock.terminal.invocation import Invocation, invoked

_PACE_SECONDS = 0.1
_READ_SECONDS = 0.2
_START_MS = 600_000
_AT_WORK = frozenset({State.RUNNING, State.REBALANCING})
_ENDED = frozenset({State.NOT_RUNNING, State.ERROR})


def perform(seconds: float | None = None) -> None:
    """Run until Ctrl-C, or for so many seconds of work."""
    topology, results = program.topology(), Results()
    with ExitStack() as stack:
        config = StreamsConfig(program.SETTINGS)
        config = stack.enter_context(embedded_cluster(topology, config, _say))
        servers = config.bootstrap_servers
        stack.enter_context(invoked(Invocation(panel=results.panel)))
        streams = KafkaStreams(topology, config)
        attendants = [
            _Attendant(streams, lambda: feed(streams, servers)),
            _Attendant(streams, lambda: follow(streams, servers, results)),
        ]
        if seconds is not None:
            attendants.append(_Attendant(streams, lambda: _end_after(streams, seconds)))
        try:
            streams.run()
        finally:
            for attendant in attendants:
                attendant.join()


def feed(streams: KafkaStreams, bootstrap_servers: str) -> None:
    """Write lines and payments while the application is at work, after those of earlier runs."""
    line = record_count(bootstrap_servers, program.LINES)
    payment = record_count(bootstrap_servers, program.PAYMENTS)
    writer = TopicWriter(bootstrap_servers)
    streams.wait_until(State.RUNNING, _START_MS)
    began, first, pause = monotonic(), line, threading.Event()
    while streams.state in _AT_WORK:
        due = first + lifelike.records_by(monotonic() - began)
        while line < due:
            writer.write(program.LINES, *lifelike.line(line))
            if line % 2:
                writer.write(program.PAYMENTS, *lifelike.payment(payment))
                payment += 1
            line += 1
        pause.wait(_PACE_SECONDS)
    writer.flush()


def follow(streams: KafkaStreams, bootstrap_servers: str, results: Results) -> None:
    """Take what comes out, until the application has ended and all of it is taken."""
    reader = TopicReader(bootstrap_servers, [program.COUNTS, program.ACCOUNTS])
    ended = False
    while not (ended and reader.caught_up):
        ended = streams.state in _ENDED  # before reading: what was written last is read as well
        results.take(reader.read(_READ_SECONDS))
    reader.close()


def _end_after(streams: KafkaStreams, seconds: float) -> None:
    if streams.wait_until(State.RUNNING, _START_MS):
        until, pause = monotonic() + seconds, threading.Event()
        while monotonic() < until and streams.state in _AT_WORK:
            pause.wait(_PACE_SECONDS)
        streams.close()


class _Attendant:
    """Does its part on a thread; if it fails, the performance is over."""

    def __init__(self, streams: KafkaStreams, part: Callable[[], None]) -> None:
        self._streams = streams
        self._part = part
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._play, name="penstock-demo", daemon=True)
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


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
