"""Penstock's contender; its arguments are those of `java/Contender.java`."""

from __future__ import annotations

import sys

from benchmarks import topologies
from penstock import KafkaStreams, StreamsBuilder


def main(arguments: list[str]) -> None:
    """Run a workload until SIGTERM."""
    workload, bootstrap, application, guarantee, state_dir, target, sources = arguments[:7]
    builder = StreamsBuilder()
    topologies.ALL[workload](builder, sources.split(","), target)
    config = {
        "bootstrap.servers": bootstrap,
        "application.id": application,
        "processing.guarantee": guarantee,
        "state.dir": state_dir,
        "num.stream.threads": 2,
        **dict(setting.split("=", 1) for setting in arguments[7:]),
    }
    KafkaStreams(builder.build(), config).run()


if __name__ == "__main__":
    main(sys.argv[1:])
