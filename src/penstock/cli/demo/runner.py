"""Runs the demonstration: the application, its input and the reading of its results."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack

from penstock._clock import monotonic
from penstock._engine.kafka.client.topic_io import TopicReader, TopicWriter, record_count
from penstock._engine.kafka.local_broker.embedded import embedded_cluster
from penstock.application import KafkaStreams, State
from penstock.cli.demo import generator, program
from penstock.cli.demo.attendants import AT_WORK, ENDED, PACE_SECONDS, START_MS, attended
from penstock.cli.demo.panel import Results
from penstock.settings import StreamsConfig
from penstock.terminal.invocation import Invocation, invoked

_READ_SECONDS = 0.2


def perform(seconds: float | None = None) -> None:
    """Run until Ctrl-C, or for so many seconds of work."""
    topology, results = program.topology(), Results()
    with ExitStack() as stack:
        config = StreamsConfig(program.SETTINGS)
        config = stack.enter_context(embedded_cluster(topology, config, _say))
        servers = config.bootstrap_servers
        stack.enter_context(invoked(Invocation(panel=results.panel, tells_cluster=False)))
        streams = KafkaStreams(topology, config)
        parts = (lambda: feed(streams, servers), lambda: follow(streams, servers, results))
        with attended(streams, parts, seconds):
            streams.run()


def feed(streams: KafkaStreams, bootstrap_servers: str) -> None:
    """Write lines and payments while the application is at work, after those of earlier runs."""
    line = record_count(bootstrap_servers, program.LINES)
    payment = record_count(bootstrap_servers, program.PAYMENTS)
    writer = TopicWriter(bootstrap_servers)
    streams.wait_until(State.RUNNING, START_MS)
    began, first, pause = monotonic(), line, threading.Event()
    while streams.state in AT_WORK:
        due = first + generator.records_by(monotonic() - began)
        while line < due:
            writer.write(program.LINES, *generator.line(line))
            if line % 2:
                writer.write(program.PAYMENTS, *generator.payment(payment))
                payment += 1
            line += 1
        pause.wait(PACE_SECONDS)
    writer.flush()


def follow(streams: KafkaStreams, bootstrap_servers: str, results: Results) -> None:
    """Take what comes out, until the application has ended and all of it is taken."""
    reader = TopicReader(bootstrap_servers, [program.COUNTS, program.ACCOUNTS])
    ended = False
    while not (ended and reader.caught_up):
        ended = streams.state in ENDED  # before reading: what was written last is read as well
        results.take(reader.read(_READ_SECONDS))
    reader.close()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
