"""Sends orders at a steady rate, in a process of its own: `python -m benchmarks.sender`.

The key of a record is the moment (monotonic, nanoseconds) at which it is due, so that a sender or
a contender that falls behind is not forgiven; each key comes once.
"""

from __future__ import annotations

import sys
import time

from confluent_kafka import Producer

_TICK_SECONDS = 0.001


def main(bootstrap: str, topic: str, rate: int) -> None:
    """Send until killed."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 0, "partitioner": "murmur2_random"}
    )
    step = 1_000_000_000 // rate
    due, number = time.monotonic_ns(), 0
    while True:
        while due <= time.monotonic_ns():
            value = b'{"id":%d,"user":"u","product":"p","cents":1,"quantity":1,"at":0}' % number
            producer.produce(topic, value, b"%d" % due)
            number += 1
            due += step
        producer.poll(0)
        time.sleep(_TICK_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
