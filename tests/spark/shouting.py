"""A program to submit: `spark-submit shouting.py BOOTSTRAP STATE_DIR APPLICATION_ID`."""

from __future__ import annotations

import sys

from penstock import Consumed, KafkaStreams, Produced, StreamsBuilder, serdes

text = serdes.string()


def shout(value: str) -> str:
    """Say it louder."""
    return value.upper() + "!"


def main(bootstrap_servers: str, state_dir: str, application_id: str) -> None:
    """Run until SIGINT or SIGTERM."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{application_id}-in", Consumed(text, text))
        .map_values(shout)
        .to(f"{application_id}-out", Produced(text, text))
    )
    settings = {
        "application.id": application_id,
        "bootstrap.servers": bootstrap_servers,
        "state.dir": state_dir,
        "processing.guarantee": "exactly_once_v2",
        "penstock.turn.ms": 2000,
    }
    KafkaStreams(builder.build(), settings).run()
    print("ended cleanly", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
