"""Bytewax's contender: two processes, an environment of its own, arguments as all have them.

Its windows give their results when they close, and the last ones never do: no windows here.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

import bytewax.operators as op
from bytewax.connectors.kafka import KafkaSinkMessage, KafkaSource
from bytewax.connectors.kafka import operators as kop
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def line(message: Any) -> Any:
    """Filter, and make an order smaller."""
    order = json.loads(message.value)
    if order["quantity"] <= 1:
        return None
    made = {k: order[k] for k in ("id", "user")} | {"total": order["cents"] * order["quantity"]}
    return KafkaSinkMessage(message.key, json.dumps(made, separators=(",", ":")).encode())


def add(state: int | None, number: int) -> tuple[int, int]:
    """Sum by key."""
    found = (state or 0) + number
    return found, found


def long(keyed: tuple[str, int]) -> Any:
    """Write a number as Java writes a long."""
    return KafkaSinkMessage(keyed[0].encode(), keyed[1].to_bytes(8, "big"))


def one(message: Any) -> tuple[str, int]:
    """Read an order to be counted."""
    json.loads(message.value)
    return message.key.decode(), 1


def sale(message: Any) -> tuple[str, int]:
    """Read an order's product and price."""
    order = json.loads(message.value)
    return order["product"], order["cents"]


def flow(topology: str, bootstrap: str, target: str, source: str) -> Dataflow:
    """Draw a workload."""
    flow = Dataflow(topology)
    orders = op.input("orders", flow, KafkaSource([bootstrap], [source]))
    if topology == "filter-map":
        results = op.filter_map("line", orders, line)
    else:
        keyed = op.map("decode", orders, one if topology == "count" else sale)
        results = op.map("encode", op.stateful_map("add", keyed, add), long)
    # Bytewax's Kafka sink waits for its broker after each batch; a larger one pays.
    kop.output("out", results, brokers=[bootstrap], topic=target, add_config={"linger.ms": "20"})
    return flow


def main(arguments: list[str]) -> None:
    """Run a workload until killed."""
    topology, bootstrap, _, _, _, target, source = arguments[:7]
    with socket.socket() as one_socket, socket.socket() as other:
        for each in (one_socket, other):
            each.bind(("127.0.0.1", 0))
        addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in (one_socket, other)]
    number = 0 if os.fork() else 1
    cluster_main(flow(topology, bootstrap, target, source), addresses, number)


if __name__ == "__main__":
    main(sys.argv[1:])
