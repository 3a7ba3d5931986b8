"""One broker, or three, with a proxy before each.

Applications come through the proxies; the load and the reader go directly to the brokers, so that
a cut network is a fault of the application's alone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import Consumer, IsolationLevel, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from benchmarks.processes import tree
from penstock._engine.kafka.local_broker import distribution
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.local_broker.loopback import HOST, free_ports
from tests.chaos.proxy import Proxies

_CLUSTER_ID = "chaosChaosChaosChaosAA"


class Cluster:
    """Brokers that can be killed, stopped and cut off."""

    def __init__(self, folder: Path, count: int = 1) -> None:
        self._folder, self.count = folder, count
        ports = free_ports(4 * count)
        self._direct = ports[:count]
        self._behind, self._controllers = ports[count : 2 * count], ports[2 * count : 3 * count]
        self._front = ports[3 * count :]
        self._stopped: list[int] = []
        self.brokers = [self._broker(number) for number in range(count)]
        self.proxies = Proxies()

    @property
    def direct(self) -> str:
        """The bootstrap servers of the harness."""
        return ",".join(f"{HOST}:{port}" for port in self._direct)

    @property
    def servers(self) -> str:
        """The bootstrap servers of applications: those of the proxies."""
        return ",".join(f"{HOST}:{port}" for port in self._front)

    def kill(self, number: int) -> None:
        """Kill a broker (SIGKILL)."""
        self.brokers[number].kill()

    def stop(self, number: int) -> None:
        """Stop a broker in order (SIGTERM)."""
        self.brokers[number].stop()

    def restart(self, number: int) -> None:
        """Start a broker again that was killed or stopped, and return when it is ready."""
        self.brokers[number].start()

    def stop_for_now(self, number: int) -> None:
        """Have a broker stand still (SIGSTOP)."""
        process = self.brokers[number]._process
        assert process is not None
        self._stopped = tree(process.pid)[1:]
        _signal_all(self._stopped, signal.SIGSTOP)

    def go_on(self) -> None:
        """Resume a stopped broker."""
        _signal_all(self._stopped, signal.SIGCONT)
        self._stopped = []

    def open_transactions(self, app: str) -> list[str]:
        """Return the partitions in which a transaction is open.

        Without writers, and longer than any transaction may last, such a transaction hangs:
        the broker has forgotten its producer, and consumers cannot read past it.
        """
        admin = AdminClient({"bootstrap.servers": self.direct})
        places = [
            TopicPartition(topic, number)
            for topic, known in admin.list_topics(timeout=30).topics.items()
            if topic.startswith((app, "__consumer_offsets"))
            for number in known.partitions
        ]
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        asked = dict.fromkeys(places, latest)
        committed, written = (
            {
                (place.topic, place.partition): answer.result().offset
                for place, answer in admin.list_offsets(
                    asked, isolation_level=level, request_timeout=30
                ).items()
            }
            for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED)
        )
        return [
            f"{topic}-{number}"
            for (topic, number), end in written.items()
            if committed[topic, number] < end
        ]

    def backlog(self, app: str) -> dict[str, str]:
        """Return of each input partition with a backlog where it begins and ends, and the committed
        offset between them.
        """
        consumer = Consumer({"bootstrap.servers": self.direct, "group.id": app})
        found: dict[str, str] = {}
        for topic, known in consumer.list_topics(timeout=30).topics.items():
            if not topic.startswith(app) or topic.endswith(("changelog", "tasks")):
                continue
            places = [TopicPartition(topic, number) for number in known.partitions]
            for place in consumer.committed(places, timeout=30):
                begin, end = consumer.get_watermark_offsets(place, timeout=30)
                if place.offset >= 0 and not begin <= place.offset >= end - 1:
                    found[f"{topic}-{place.partition}"] = f"{begin} {place.offset} {end}"
        consumer.close()
        return found

    def __enter__(self) -> Self:
        if self.count > 1:
            self._format_as_one()
        with ThreadPoolExecutor(self.count) as pool:
            list(pool.map(LocalBroker.start, self.brokers))
        for front, behind in zip(self._front, self._behind, strict=True):
            self.proxies.add(front, behind)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.go_on()
        self.proxies.close()
        for broker in self.brokers:
            broker.kill()

    def _broker(self, number: int) -> LocalBroker:
        voters = ",".join(
            f"{node}@{HOST}:{port}" for node, port in enumerate(self._controllers, start=1)
        )
        copies = self.count
        listeners = {
            "PLAINTEXT": self._direct[number],
            "PROXIED": self._behind[number],
            "CONTROLLER": self._controllers[number],
        }
        advertised = {"PLAINTEXT": self._direct[number], "PROXIED": self._front[number]}
        settings = {
            "node.id": number + 1,
            "listeners": _listed(listeners),
            "advertised.listeners": _listed(advertised),
            "listener.security.protocol.map": (
                "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
            "controller.quorum.voters": voters,
            "default.replication.factor": copies,
            "offsets.topic.replication.factor": copies,
            "transaction.state.log.replication.factor": copies,
            "min.insync.replicas": 2 if copies > 1 else 1,
            "transaction.state.log.min.isr": 2 if copies > 1 else 1,
            "replica.lag.time.max.ms": 5000,
            "replica.fetch.wait.max.ms": 100,
        }
        return LocalBroker(
            self._folder / f"broker-{number}",
            self._direct[number],
            settings=settings,
            jvm_options=["-Xmx384m"],
        )

    def _format_as_one(self) -> None:
        kafka = distribution.fetch(print)
        for number, broker in enumerate(self.brokers):
            data = broker.data_dir / "kafka"
            kafka.format(data)
            identity = {"version": 1, "node.id": number + 1, "cluster.id": _CLUSTER_ID}
            distribution.write_properties(data / "meta.properties", identity)


def _listed(listeners: dict[str, int]) -> str:
    return ",".join(f"{name}://{HOST}:{port}" for name, port in listeners.items())


def _signal_all(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
