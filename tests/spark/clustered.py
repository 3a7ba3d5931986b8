"""A program to submit: `spark-submit clustered.py BOOTSTRAP STATE_DIR APPLICATION_ID` counts keys.

Twice a second it prints a line of JSON: its state and its workers, each with its tasks, its
executor and the directory of its state.
"""

from __future__ import annotations

import json
import sys
import threading

from penstock import Consumed, Grouped, KafkaStreams, Materialized, Produced, StreamsBuilder, serdes
from penstock.errors import StreamsError

TEXT, LONG = serdes.string(), serdes.long()


def tell(streams: KafkaStreams) -> None:
    """Print how it goes."""
    while True:
        threading.Event().wait(0.5)
        try:
            reports = streams.reports()
        except StreamsError:  # it has not begun
            continue
        workers = [
            {
                "pid": one.pid,
                "home": one.home,
                "executor": one.executor,
                "state": one.state,
                "tasks": one.tasks,
            }
            for one in reports.values()
        ]
        print(json.dumps({"state": streams.state.value, "workers": workers}), flush=True)


def main(bootstrap_servers: str, state_dir: str, name: str) -> None:
    """Run until SIGINT or SIGTERM."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{name}-in", Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(f"{name}-out", Produced(TEXT, LONG))
    )
    config = {
        "application.id": name,
        "bootstrap.servers": bootstrap_servers,
        "state.dir": state_dir,
        "processing.guarantee": "exactly_once_v2",
        "statestore.cache.max.bytes": 0,
        "penstock.turn.ms": 1000,
        # A replacement comes in time to be the same member, on a busy machine, too.
        "consumer.session.timeout.ms": 90_000,
    }
    streams = KafkaStreams(builder.build(), config)
    threading.Thread(target=tell, args=(streams,), daemon=True).start()
    streams.run(quiet=True)
    print("ended cleanly", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
