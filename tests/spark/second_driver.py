"""A driver of an application in a process of its own, to be killed: `python -m` with its settings.

It counts what comes by key; the application of `test_queries_of_two_drivers.py` is this one, too.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from penstock import (
    Consumed,
    KafkaStreams,
    Materialized,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)

NAME, EVENTS = "two-drivers-asked", "two-drivers-asked-events"
TEXT, LONG = serdes.string(), serdes.long()
WINDOW_MS, HOUR_MS = 10_000, 3_600_000


def topology() -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream(EVENTS, Consumed(TEXT, TEXT)).group_by_key()
    grouped.count(Materialized("counts", TEXT, LONG))
    grouped.windowed_by(TimeWindows.of_size(WINDOW_MS, grace=HOUR_MS)).count(
        Materialized("windows", TEXT, LONG)
    )
    return builder.build()


def settings(servers: str, folder: str, port: int) -> dict[str, Any]:
    return {
        "application.id": NAME,
        "bootstrap.servers": servers,
        "state.dir": folder,
        "application.server": f"node:{port}",
        "processing.guarantee": "exactly_once_v2",
        "num.stream.threads": 1,
        "penstock.turn.ms": 1000,
        "consumer.session.timeout.ms": 6000,
        "penstock.http.port": 0,
        "penstock.http.token": "a-token-that-all-drivers-share",
        # The records are of 2023: a broker would soon delete them from the changelog of windows.
        "windowstore.changelog.additional.retention.ms": 100 * 365 * 24 * HOUR_MS,
    }


if __name__ == "__main__":
    KafkaStreams(topology(), json.loads(sys.argv[1])).run(quiet=True)
