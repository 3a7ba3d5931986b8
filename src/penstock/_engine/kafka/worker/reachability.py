"""Whether the cluster answers: asks every few seconds, also while there is nothing to do.

A client that only waits for records does not notice a broker that has stopped: its connection
stands until a request times out, a minute later. A client that does not get an answer is replaced:
one that a cluster has told of no brokers, as it does while it has just one and takes that for dead,
never asks again (librdkafka, issue 5301).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from confluent_kafka import KafkaException

from penstock._clock import monotonic
from penstock._engine.kafka.client.admin_calls import RenewedAdmin
from penstock.errors import StreamsError

_ASK_SECONDS = 3.0
_ANSWER_SECONDS = 3.0


class Cluster(Protocol):
    """The admin client, as far as it is needed here."""

    def list_topics(self, topic: str, timeout: float) -> object: ...


class Reachability:
    """Asks the cluster for one topic, on a thread of its own, with the client that the worker has:
    a second one would be two more connections of each worker.
    """

    def __init__(
        self,
        cluster: Cluster,
        topic: str,
        *,
        now: Callable[[], float] = monotonic,
        pause_seconds: float = _ASK_SECONDS,
    ) -> None:
        self._topic = topic
        self._now = now
        self._pause_seconds = pause_seconds
        self._away_since: float | None = None
        self._closed = threading.Event()
        self._cluster = cluster
        self._thread = threading.Thread(target=self._run, name="penstock-reachability", daemon=True)
        self._thread.start()

    def away_seconds(self) -> float | None:
        """Return for how long the cluster has not answered, None if it answers."""
        since = self._away_since
        return None if since is None else self._now() - since

    def close(self) -> None:
        """Ask no more."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(self._pause_seconds):
            asked = self._now()
            try:
                self._cluster.list_topics(self._topic, timeout=_ANSWER_SECONDS)
            except (KafkaException, StreamsError):  # the latter: no client could be made
                if self._away_since is None:
                    self._away_since = asked
                if isinstance(self._cluster, RenewedAdmin):
                    self._cluster.renew()
            else:
                self._away_since = None
