"""Quix Streams' contender: two processes, an environment of its own, arguments as all have them."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from quixstreams import Application
from quixstreams.models.serializers import Serializer


class Long(Serializer):
    """Write the field "value" as Java writes a long."""

    def __call__(self, value: Any, ctx: Any) -> bytes:  # noqa: ARG002
        return value["value"].to_bytes(8, "big")


def count(_order: Any, state: Any) -> Any:
    """Count by key."""
    state.set("n", found := state.get("n", 0) + 1)
    return {"value": found}


def total(order: Any, state: Any) -> Any:
    """Sum by key."""
    state.set("n", found := state.get("n", 0) + order["cents"])
    return {"value": found}


def with_start(window: Any, key: bytes, _timestamp: int, _headers: Any) -> Any:
    """Put the window's start behind the key, as Java does."""
    return {"key": key + window["start"].to_bytes(8, "big"), "value": window["value"]}


def line(order: Any) -> bytes:
    """Make an order smaller."""
    made = {k: order[k] for k in ("id", "user")} | {"total": order["cents"] * order["quantity"]}
    return json.dumps(made, separators=(",", ":")).encode()


def main(arguments: list[str]) -> None:
    """Run a workload until killed."""
    topology, bootstrap, application, guarantee, state_dir, target, source = arguments[:7]
    number = 0 if os.fork() else 1
    exactly_once = guarantee.startswith("exactly")
    app = Application(
        bootstrap,
        consumer_group=application,
        auto_offset_reset="earliest",
        commit_interval=0.1,
        state_dir=f"{state_dir}/{number}",
        processing_guarantee="exactly-once" if exactly_once else "at-least-once",
        loglevel="WARNING",
        producer_extra_config={"linger.ms": 100 if exactly_once else 20},
    )
    orders = app.dataframe(app.topic(source, key_deserializer="bytes", value_deserializer="json"))
    plain = topology == "filter-map"
    out = app.topic(target, key_serializer="bytes", value_serializer="bytes" if plain else Long())
    if topology == "filter-map":
        orders.filter(lambda order: order["quantity"] > 1).apply(line).to_topic(out)
    elif topology == "count":
        orders.apply(count, stateful=True).to_topic(out)
    elif topology == "tumbling":
        windows = orders.tumbling_window(duration_ms=60_000, grace_ms=10_000).count().current()
        keyed = windows.apply(with_start, metadata=True)
        keyed.to_topic(out, key=lambda value: value["key"])
    elif topology == "rekey":
        grouped = orders.group_by("product", key_serializer="str", key_deserializer="bytes")
        grouped.apply(total, stateful=True).to_topic(out)
    app.run()


if __name__ == "__main__":
    main(sys.argv[1:])
