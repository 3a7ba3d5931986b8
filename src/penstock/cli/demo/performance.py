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
        feeder = _attended(lambda: feed(streams, servers))
        follower = _attended(lambda: follow(streams, servers, results))
        if seconds is not None:
            _attended(lambda: _end_after(streams, seconds))
        streams.run()
        feeder.join()
        follower.join()


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
        threading.Event().wait(seconds)
        streams.close()


def _attended(call: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=call, name="penstock-demo", daemon=True)
    thread.start()
    return thread


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
