"""Events for user analytics, and what its output topics say of them: the truth for queries."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from confluent_kafka import Producer

from penstock._engine.kafka.client.topic_io import Read, TopicReader

PATIENCE_SECONDS = 180.0
USERS = [f"user-{number:04}" for number in range(1000)]
RANGES = [(USERS[first], USERS[first + 13]) for first in range(0, 980, 20)] + [(None, "user-0002")]
PAGES = [f"/page-{number}" for number in range(7)]
EVENTS = 3000
BEGIN_MS = 1_700_000_000_000


class Truth:
    """What the output topics say: visits of each user, views of each page and minute."""

    def __init__(self, bootstrap_servers: str) -> None:
        found: dict[str, dict[str, int]] = {"user-visits": {}, "page-views": {}}
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(sum(rows.values()) == EVENTS for rows in found.values()):
            assert time.monotonic() < until, {name: len(rows) for name, rows in found.items()}
            for record in records_of(bootstrap_servers, *found):
                count = int.from_bytes(record.value or b"", "big")
                found[record.topic][(record.key or b"").decode()] = count
        self.visits = found["user-visits"]
        self.views = {
            (page, int(start)): count
            for key, count in found["page-views"].items()
            for page, _, start in [key.partition("@")]
        }
        self.ranges = [
            sorted(
                (user, count)
                for user, count in self.visits.items()
                if (first is None or first <= user) and user <= last
            )
            for first, last in RANGES
        ]


def records_of(bootstrap_servers: str, *topics: str) -> Iterator[Read]:
    reader = TopicReader(bootstrap_servers, topics)
    try:
        while not reader.caught_up:
            yield from reader.read(0.5)
    finally:
        reader.close()


def write_events(bootstrap_servers: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap_servers, "partitioner": "murmur2_random"})
    for number in range(EVENTS):
        user = USERS[number * 7 % len(USERS)]
        event = {"page": PAGES[number % len(PAGES)], "amount": number % 50}
        at = BEGIN_MS + number * 100
        producer.produce("events", json.dumps(event), user, timestamp=at)
    producer.flush()
