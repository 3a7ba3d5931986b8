"""Helpers for crash tests: processes that run `two_counts`, input for them, and what came out."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

HERE = Path(__file__).parent
PARTITIONS = 4
PATIENCE_SECONDS = 90.0


@dataclass
class Fleet:
    """The processes of one application; a process that died can be started anew."""

    bootstrap_servers: str
    state_dir: Path
    application_id: str
    guarantee: str = "exactly_once_v2"
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def create_topics(self) -> None:
        """Make the input and output topics."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        names = [f"{self.application_id}-{part}" for part in ("in", "by-key", "by-letter")]
        topics = [NewTopic(name, PARTITIONS, 1) for name in names]
        for created in admin.create_topics(topics).values():
            created.result()

    def launch(self, crash_at: str | None = None, state: str = "state") -> subprocess.Popen[str]:
        """Start a process, which kills itself at `crash_at` if that is given."""
        environment = {**os.environ, **({"PENSTOCK_CRASH_AT": crash_at} if crash_at else {})}
        process = subprocess.Popen(
            [
                sys.executable,
                str(HERE / "two_counts.py"),
                self.bootstrap_servers,
                str(self.state_dir / state),
                self.application_id,
                self.guarantee,
            ],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        return process

    def wait_until_ready(self, process: subprocess.Popen[str]) -> None:
        """Wait until a process has said that it works."""
        assert process.stdout is not None
        assert "ready" in process.stdout.readline()

    def wait_until_stopped(self, process: subprocess.Popen[str]) -> None:
        """Wait until a process stands still (Linux)."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not self.is_stopped(process):
            assert time.monotonic() < until

    def is_stopped(self, process: subprocess.Popen[str]) -> bool:
        """Return whether a process stands still (Linux)."""
        assert process.poll() is None
        time.sleep(0.1)
        return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"

    def stop(self) -> list[str]:
        """End all processes; give what those that failed have said."""
        for process in self.processes:
            process.terminate()
        said = []
        for process in self.processes:
            try:
                output, _ = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
            if process.returncode not in {0, -9}:
                said.append(output)
        return said


def produce(fleet: Fleet, count: int, seed: int) -> Counter[str]:
    """Write records with random keys; give how often each key was written."""
    chance = random.Random(seed)
    producer = Producer({"bootstrap.servers": fleet.bootstrap_servers, "linger.ms": 20})
    written: Counter[str] = Counter()
    for number in range(count):
        key = f"{chance.choice('abcdefgh')}{chance.randrange(50)}"
        written[key] += 1
        producer.produce(f"{fleet.application_id}-in", key=key, value="x", timestamp=1000 + number)
        producer.poll(0)
    producer.flush()
    return written


def wait_until_consumed(fleet: Fleet) -> None:
    """Wait until the group has committed all that its input topic holds."""
    consumer = Consumer(
        {"bootstrap.servers": fleet.bootstrap_servers, "group.id": fleet.application_id}
    )
    places = [TopicPartition(f"{fleet.application_id}-in", number) for number in range(PARTITIONS)]
    ends = [consumer.get_watermark_offsets(place)[1] for place in places]
    until = time.monotonic() + PATIENCE_SECONDS
    while [max(place.offset, 0) for place in consumer.committed(places)] != ends:
        assert time.monotonic() < until, (consumer.committed(places), ends)
        time.sleep(0.2)
    consumer.close()


def updates(fleet: Fleet, topic: str, total: int) -> dict[str, list[int]]:
    """Return what `all_updates` gives of one topic."""
    return all_updates(fleet, total, topic)[topic]


def all_updates(fleet: Fleet, total: int, *topics: str) -> dict[str, dict[str, list[int]]]:
    """Read committed counts until all `total` updates are in each topic, or patience ends, and then
    a bit longer; give by topic the sequence of counts of each key.
    """
    consumer = Consumer(
        {
            "bootstrap.servers": fleet.bootstrap_servers,
            "group.id": f"check-{time.monotonic_ns()}",
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    names = {f"{fleet.application_id}-{topic}": topic for topic in topics}
    consumer.subscribe(list(names))
    seen: dict[str, dict[str, list[int]]] = {topic: {} for topic in topics}
    until = time.monotonic() + PATIENCE_SECONDS
    enough = False
    while time.monotonic() < until:
        for message in consumer.consume(1000, 0.5):
            if message.error() is None:
                name, key, value = message.topic(), message.key(), message.value()
                assert name is not None
                assert key is not None
                assert value is not None
                count = int.from_bytes(value, "big")
                seen[names[name]].setdefault(key.decode(), []).append(count)
        if not enough and all(sum(map(len, counts.values())) >= total for counts in seen.values()):
            enough, until = True, time.monotonic() + 1.0
    consumer.close()
    return seen


def counted_once(written: Mapping[str, int]) -> dict[str, list[int]]:
    """Return the updates that exactly-once counting must show: 1, 2, 3, ... for each key."""
    return {key: list(range(1, count + 1)) for key, count in written.items()}


def by_letter(written: Mapping[str, int]) -> Counter[str]:
    """Add up by first letter."""
    letters: Counter[str] = Counter()
    for key, count in written.items():
        letters[key[0]] += count
    return letters
