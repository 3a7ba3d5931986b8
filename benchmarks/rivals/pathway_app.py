"""Pathway's contender: two threads (PATHWAY_THREADS), an environment of its own, arguments as all
have them. A changed row is taken back and given anew: the reader skips what is taken back.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pathway as pw


class Order(pw.Schema):
    """An order as JSON; "id" is Pathway's own word for a row."""

    number: int
    user: str
    product: str
    cents: int
    quantity: int
    at: int


def long(value: int) -> bytes:
    """Write a number as Java writes a long."""
    return value.to_bytes(8, "big")


def line(number: int, user: str, total: int) -> bytes:
    """Write an order made smaller."""
    return json.dumps({"id": number, "user": user, "total": total}, separators=(",", ":")).encode()


def results(topology: str, orders: Any) -> Any:
    """Return a table of keys and values as bytes."""
    if topology == "filter-map":
        some = orders.filter(orders.quantity > 1)
        total = some.cents * some.quantity
        return some.select(
            key=pw.apply_with_type(str.encode, bytes, some.user),
            value=pw.apply_with_type(line, bytes, some.number, some.user, total),
        )
    if topology == "tumbling":
        window = pw.temporal.tumbling(duration=60_000)
        found = orders.windowby(orders.at, window=window, instance=orders.user).reduce(
            user=pw.this._pw_instance, start=pw.this._pw_window_start, number=pw.reducers.count()
        )
        return found.select(
            key=pw.apply_with_type(
                lambda u, s: u.encode() + long(s), bytes, found.user, found.start
            ),
            value=pw.apply_with_type(long, bytes, found.number),
        )
    if topology == "count":
        found = orders.groupby(orders.user).reduce(name=orders.user, number=pw.reducers.count())
    else:
        found = orders.groupby(orders.product).reduce(
            name=orders.product, number=pw.reducers.sum(orders.cents)
        )
    return found.select(
        key=pw.apply_with_type(str.encode, bytes, found.name),
        value=pw.apply_with_type(long, bytes, found.number),
    )


def main(arguments: list[str]) -> None:
    """Run a workload until killed."""
    topology, bootstrap, application, _, _, target, source = arguments[:7]
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": application,
        "auto.offset.reset": "earliest",
    }
    orders = pw.io.kafka.read(
        settings,
        source,
        schema=Order,
        format="json",
        json_field_paths={"number": "/id"},
        autocommit_duration_ms=100,
    )
    made = results(topology, orders)
    pw.io.kafka.write(made, settings, target, format="raw", key=made.key, value=made.value)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)


if __name__ == "__main__":
    main(sys.argv[1:])
