"""Penstock's contender: the same program as `java/CountApp.java`, on Spark, public names only."""

from __future__ import annotations

import sys

import msgspec

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    serdes,
)


class Order(msgspec.Struct):
    """An order as JSON."""

    user: str
    amount: float
    sent: int


def main(bootstrap: str, application: str, source: str, target: str, rest: list[str]) -> None:
    """Count orders by user until SIGTERM."""
    guarantee, state_dir = rest
    text, long, orders = serdes.string(), serdes.long(), serdes.json(Order)
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(key=text, value=orders))
        .filter(lambda _, order: order.amount > 0)
        .group_by_key(Grouped(key=text, value=orders))
        .count(Materialized("counts", key=text, value=long))
        .to_stream()
        .to(target, Produced(key=text, value=long))
    )
    config = {
        "bootstrap.servers": bootstrap,
        "application.id": application,
        "processing.guarantee": guarantee,
        "state.dir": state_dir,
        "num.stream.threads": 2,
        "commit.interval.ms": 100,
    }
    KafkaStreams(builder.build(), config).run()


if __name__ == "__main__":
    main(*sys.argv[1:5], sys.argv[5:])
