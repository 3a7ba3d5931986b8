"""The online reader: it sees all committed outputs while they come, and when they came."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque

from confluent_kafka import Consumer, TopicPartition

from tests.chaos.checks import Check, Findings, all_checks
from tests.chaos.model import Model
from tests.chaos.program import OUTPUTS, PARTITIONS


class Reader:
    """Reads the outputs of an application on a thread of its own and hands them to the checks."""

    def __init__(self, servers: str, app: str, guarantee: str, model: Model) -> None:
        self._model = model
        self._names = {f"{app}-{output}": output for output in OUTPUTS}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.checks = all_checks(guarantee)
        self.ignored: frozenset[str] = frozenset()
        """Outputs that are read but not judged."""
        self.seen = 0
        self.latencies: deque[tuple[float, float]] = deque(maxlen=200_000)
        """When an event's joined output came, and how long it took."""
        self._arrivals: list[deque[tuple[float, float]]] = [
            deque(maxlen=20_000) for _ in range(PARTITIONS)
        ]
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": f"{app}-online-reader",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 20,
                "reconnect.backoff.max.ms": 500,
            }
        )
        places = [(name, number) for name in self._names for number in range(PARTITIONS)]
        self._consumer.assign([TopicPartition(name, number, 0) for name, number in places])
        self._thread = threading.Thread(target=self._read, name="chaos-reader", daemon=True)
        self._thread.start()

    def findings(self) -> Findings:
        """Return what was doubled, reordered or wrong in all outputs together."""
        with self._lock:
            return sum((check.findings for _, check in self._judging()), Findings())

    def missing(self) -> dict[str, list[str]]:
        """Return what the model expects and has not come, by output."""
        with self._lock, self._model.lock:
            found = {name: check.missing(self._model) for name, check in self._judging()}
        return {name: missing for name, missing in found.items() if missing}

    def wait_complete(self, seconds: float) -> dict[str, list[str]]:
        """Wait until nothing is missing, or so long; return what is missing then."""
        until = time.monotonic() + seconds
        while (missing := self.missing()) and time.monotonic() < until:
            time.sleep(0.1)
        return missing

    def flows_since(self, moment: float) -> float | None:
        """Return when the last of all partitions showed an event that was written after `moment`;
        None if not all did.
        """
        first = []
        for arrivals in self._arrivals:
            came = next((at for at, written in list(arrivals) if written >= moment), None)
            if came is None:
                return None
            first.append(came)
        return max(first)

    def longest_silence(self, since: float, until: float) -> float:
        """Return the longest time in which a partition showed nothing."""
        longest = 0.0
        for arrivals in self._arrivals:
            moments = [since, *(at for at, _ in list(arrivals) if since < at < until), until]
            longest = max(longest, *(b - a for a, b in itertools.pairwise(moments)))
        return longest

    def examples(self) -> dict[str, list[str]]:
        """Return the first things that were wrong, by output."""
        with self._lock:
            return {name: check.examples[:5] for name, check in self._judging() if check.examples}

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(timeout=30)
        self._consumer.close()

    def _judging(self) -> list[tuple[str, Check]]:
        return [(name, check) for name, check in self.checks.items() if name not in self.ignored]

    def _read(self) -> None:
        while not self._ended.is_set():
            messages = self._consumer.consume(1000, 0.1)
            at = time.monotonic()
            with self._lock:
                for message in messages:
                    if message.error() is None:
                        name, key = self._names[message.topic() or ""], message.key() or b""
                        self._see(
                            name, key.decode(), message.value() or b"", message.partition() or 0, at
                        )

    def _see(self, name: str, key: str, value: bytes, partition: int, at: float) -> None:
        self.seen += 1
        self.checks[name].see(key, value)
        if name == "joined":
            number = int(value.split(b"|")[0])
            written = self._model.written_at.get((key, number), at)
            self._arrivals[partition].append((at, written))
            self.latencies.append((at, at - written))
