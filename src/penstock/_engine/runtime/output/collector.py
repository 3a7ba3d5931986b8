"""What leaves a task: outputs, repartition and changelog records, in the order they were
produced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from penstock._engine.runtime.records import Output
from penstock.errors import ProductionError
from penstock.handlers import DeadLetterRecord

Collect: TypeAlias = Callable[[Output], None]
"""`collect(output)` takes what leaves the task: `Collector.send`, or a check before it."""


class Collector:
    """Collects outputs until the host takes them.

    The host supplies `partition_count(topic)` and `acceptance`.
    """

    __slots__ = ("_outputs", "acceptance", "partition_count", "send")

    def __init__(
        self, partition_count: Callable[[str], int], acceptance: Acceptance | None = None
    ) -> None:
        self._outputs: list[Output] = []
        self.partition_count = partition_count
        self.acceptance = acceptance
        self.send = self._outputs.append

    def send_dead_letters(self, records: tuple[DeadLetterRecord, ...]) -> None:
        """Collect what a handler wants written.

        Raises:
            ProductionError: Kafka would refuse it.
        """
        for record in records:
            output: Output = (
                record.topic,
                None,
                record.key,
                record.value,
                record.timestamp,
                record.headers,
            )
            if self.acceptance is not None:
                refusal = self.acceptance.refusal_of(output)
                if refusal is not None:
                    raise refusal
            self.send(output)

    def drain(self) -> list[Output]:
        """Return what was collected since the last call."""
        outputs = self._outputs.copy()
        self._outputs.clear()
        return outputs


class Acceptance(Protocol):
    """Finds outputs that Kafka would refuse, before they are sent.

    A worker has one (`kafka/tasks/refused_records.py`); the test driver and bounded jobs know no
    limits.
    """

    suspicious_bytes: int
    """Size of key and value from which on `refusal_of` must be asked."""

    def watches(self, topic: str) -> bool:
        """Yes if `refusal_of` must be asked for each record of the topic."""

    def missing(self, topic: str) -> ProductionError | None:
        """Return why records of a topic that is met for the first time cannot be sent, if so."""

    def refusal_of(self, output: Output) -> ProductionError | None:
        """Return why Kafka would refuse an output, None if it is not known to."""
