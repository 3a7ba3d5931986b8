"""The load: seeded records for all inputs at a rate, each added to the model before it is sent."""

from __future__ import annotations

import random
import threading
import time
from typing import Final

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.chaos.model import Model
from tests.chaos.program import INPUTS, OUTPUTS, PARTITIONS

LETTERS: Final = "abcdef"
KEYS: Final = [f"{letter}{number}" for letter in LETTERS for number in range(6)]
CUSTOMERS: Final = [f"c{number}" for number in range(8)]
HUGE: Final = 10_000_000

_STEP_MS: Final = 10
_CLICKS, _ORDERS, _BLOBS = 0.35, 0.05, 0.01


class Load:
    """Writes at a rate on a thread of its own; `pause` and `resume` as often as wanted."""

    def __init__(self, servers: str, app: str, seed: int, model: Model, rate: float) -> None:
        self._app, self._model, self.rate = app, model, rate
        self._chance = random.Random(seed)
        self._servers = servers
        # Close to now: what is much older would be deleted from changelogs with a retention.
        self._time_ms = int(time.time()) * 1000
        self._clicks = 0
        self._versions = 0
        self._hot: str | None = None
        self._lock = threading.Lock()
        self._going = threading.Event()
        self._ended = threading.Event()
        self.failures: list[str] = []
        self._producer = Producer(
            {
                "bootstrap.servers": servers,
                "enable.idempotence": True,
                "partitioner": "murmur2_random",
                "linger.ms": 2,
                "delivery.timeout.ms": 600_000,
                "transaction.timeout.ms": 600_000,
                "reconnect.backoff.max.ms": 500,
            }
        )
        self._thread = threading.Thread(target=self._work, name="chaos-load", daemon=True)

    def create_topics(self, replication: int) -> None:
        """Make all inputs and outputs of the application."""
        admin = AdminClient({"bootstrap.servers": self._servers})
        # A request before the brokers are known may end with the connection that found them.
        admin.list_topics(timeout=30)
        names = [f"{self._app}-{name}" for name in (*INPUTS, *OUTPUTS)]
        for made in admin.create_topics(
            [NewTopic(name, PARTITIONS, replication) for name in names]
        ).values():
            made.result()

    def start(self) -> None:
        """Write the tables' first rows and start the thread, paused."""
        for letter in LETTERS:
            self._write_row("plans", letter, f"plan-{letter}")
        for customer in CUSTOMERS:
            self._write_row("customers", customer, f"{customer}-0")
        self.change_tables()
        self.flush()
        self._thread.start()

    def change_tables(self) -> None:
        """Change the profiles; only while no event is under way."""
        with self._lock:
            self._versions += 1
            some = KEYS if self._versions == 1 else self._chance.sample(KEYS, 5)
            for key in some:
                self._write_row("profiles", key, f"v{self._versions}")

    def resume(self) -> None:
        """Write at the rate."""
        self._going.set()

    def pause(self) -> None:
        """Write nothing more, and return when all is at the broker."""
        self._going.clear()
        with self._lock:
            pass
        self.flush()

    def burst(self, count: int) -> None:
        """Write so many at once."""
        with self._lock:
            for _ in range(count):
                self._write_some()

    def heat(self, key: str | None) -> None:
        """Have nine of ten events of one key, or no longer."""
        self._hot = key

    def poison(self, count: int) -> None:
        """Write events that no serde can read."""
        with self._lock:
            for _ in range(count):
                self._model.add_dead()
                self._produce("events", self._chance.choice(KEYS), b"bad")

    def huge(self, size: int = HUGE) -> None:
        """Write a record whose output is larger than the broker takes."""
        with self._lock:
            self._model.add_dead()
            self._produce("blobs", "huge", size.to_bytes(8, "big"))

    def close_windows(self) -> None:
        """Advance stream time in every partition, in steps, until all windows are closed."""
        with self._lock:
            by_partition: dict[int, str] = {}
            for key in KEYS:
                by_partition.setdefault(partition_of(key), key)
            for _ in range(8):
                self._time_ms += 1000
                for key in by_partition.values():
                    self._write_event(key)

    def flush(self) -> None:
        """Wait until all is at the broker."""
        left = self._producer.flush(300)
        assert left == 0, f"{left} records of the load could not be written"
        assert not self.failures, self.failures[:3]

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._going.set()
        self._thread.join(timeout=30)
        self._producer.flush(30)

    def _work(self) -> None:
        due = time.monotonic()
        while not self._ended.is_set():
            if not self._going.is_set():
                self._going.wait(1)
                due = time.monotonic()
                continue
            with self._lock:
                if self._going.is_set() and not self._ended.is_set():
                    self._write_some()
            due = max(due + 1 / self.rate, time.monotonic() - 1)
            time.sleep(max(0.0, due - time.monotonic()))

    def _write_some(self) -> None:
        self._time_ms += self._chance.randint(1, 2 * _STEP_MS)
        hot = self._hot is not None and self._chance.random() < 0.9
        self._write_event(self._hot if hot and self._hot else self._chance.choice(KEYS))
        what = self._chance.random()
        if what < _CLICKS:
            self._clicks += 1
            key = self._chance.choice(KEYS)
            self._model.add_click(key, self._clicks, self._time_ms)
            self._produce("clicks", key, self._clicks.to_bytes(8, "big"))
        elif what < _CLICKS + _ORDERS:
            self._versions += 1
            order = f"o{self._chance.randrange(30)}"
            customer = self._chance.choice(CUSTOMERS)
            self._write_row("orders", order, f"{customer}:{self._versions}")
            if self._chance.random() < 0.3:
                self._write_row("customers", customer, f"{customer}-{self._versions}")
        elif what < _CLICKS + _ORDERS + _BLOBS:
            size = self._chance.randrange(1, 5000)
            self._model.add_blob("blob", size)
            self._produce("blobs", "blob", size.to_bytes(8, "big"))

    def _write_event(self, key: str) -> None:
        at = time.monotonic()
        number = self._model.add_event(key, self._time_ms, partition_of(key), at)
        self._produce("events", key, number.to_bytes(8, "big"))

    def _write_row(self, table: str, key: str, value: str) -> None:
        self._model.add_row(table, key, value)
        self._produce(table, key, value.encode())

    def _produce(self, topic: str, key: str, value: bytes) -> None:
        while True:
            try:
                self._producer.produce(
                    f"{self._app}-{topic}",
                    value,
                    key,
                    timestamp=self._time_ms,
                    on_delivery=self._delivered,
                )
            except BufferError:
                self._producer.poll(0.1)
            else:
                break
        self._producer.poll(0)

    def _delivered(self, error: object, _message: object) -> None:
        if error is not None:
            self.failures.append(str(error))


def partition_of(key: str) -> int:
    """Return the partition of a key as Java's producer chooses it (murmur2), of PARTITIONS."""
    return (murmur2(key.encode()) & 0x7FFFFFFF) % PARTITIONS


def murmur2(data: bytes) -> int:
    """Return the hash by which Java chooses partitions, as an unsigned number."""
    multiplier, mask = 0x5BD1E995, 0xFFFFFFFF
    digest = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for begin in range(0, whole, 4):
        part = int.from_bytes(data[begin : begin + 4], "little") * multiplier & mask
        part = (part ^ part >> 24) * multiplier & mask
        digest = digest * multiplier & mask ^ part
    rest = data[whole:]
    if rest:
        digest = (digest ^ int.from_bytes(rest, "little")) * multiplier & mask
    digest = (digest ^ digest >> 13) * multiplier & mask
    return digest ^ digest >> 15
