"""Faust's contender: two processes, an environment of its own, arguments as all have them."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import faust


def long(value: int) -> bytes:
    """Write a number as Java writes a long."""
    return value.to_bytes(8, "big")


def line(order: Any) -> bytes:
    """Make an order smaller."""
    made = {k: order[k] for k in ("id", "user")} | {"total": order["cents"] * order["quantity"]}
    return json.dumps(made, separators=(",", ":")).encode()


def table(app: faust.App) -> Any:
    """Make a table on RocksDB."""
    return app.Table("numbers", default=int, partitions=4, options={"driver": "rocksdict"})


def filter_map(app: faust.App, orders: Any, out: Any) -> None:
    """Decode, filter, map, encode."""

    @app.agent(orders)
    async def agent(stream: Any) -> None:
        async for key, order in stream.items():
            if order["quantity"] > 1:
                await out.send(key=key, value=line(order))


def count(app: faust.App, orders: Any, out: Any) -> None:
    """Count by key."""
    counts = table(app)

    @app.agent(orders)
    async def agent(stream: Any) -> None:
        async for event in stream.events():
            name = event.key.decode()
            counts[name] += 1
            await out.send(key=event.key, value=long(counts[name]))


def tumbling(app: faust.App, orders: Any, out: Any) -> None:
    """Count by key and minute."""
    counts = table(app).tumbling(60.0, expires=3600.0)

    @app.agent(orders)
    async def agent(stream: Any) -> None:
        async for event in stream.events():
            name, at = event.key.decode(), int(event.message.timestamp * 1000)
            counts[name] += 1
            start = long(at - at % 60_000)
            await out.send(key=event.key + start, value=long(counts[name].current()))


def rekey(app: faust.App, orders: Any, out: Any) -> None:
    """Sum by another key."""
    totals = table(app)

    @app.agent(orders)
    async def agent(stream: Any) -> None:
        by_product = stream.group_by(lambda order: order["product"], name="product", partitions=4)
        async for order in by_product:
            totals[order["product"]] += order["cents"]
            value = long(totals[order["product"]])
            await out.send(key=order["product"].encode(), value=value)


def main(arguments: list[str]) -> None:
    """Run a workload until killed."""
    topology, bootstrap, application, _, state_dir, target, source = arguments[:7]
    number = 0 if os.fork() else 1
    app = faust.App(
        application,
        broker=f"kafka://{bootstrap}",
        store="rocksdb://",
        datadir=f"{state_dir}/{number}",
        consumer_auto_offset_reset="earliest",
        # At the interval of the others its commits overlap each other and nothing else is done.
        broker_commit_interval=1.0,
        producer_linger=0.02,
        topic_partitions=4,
        topic_disable_leader=True,
        web_enabled=False,
    )
    orders = app.topic(source, key_serializer="raw", value_serializer="json", key_type=bytes)
    out = app.topic(
        target, key_serializer="raw", value_serializer="raw", key_type=bytes, value_type=bytes
    )
    draw = {"filter-map": filter_map, "count": count, "tumbling": tumbling, "rekey": rekey}
    draw[topology](app, orders, out)
    sys.argv[1:] = ["worker", "--loglevel", "warn", "--without-web"]
    app.main()


if __name__ == "__main__":
    main(sys.argv[1:])
