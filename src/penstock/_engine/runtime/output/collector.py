"""What leaves a task: outputs, repartition and changelog records, in the order they were
produced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from penstock.handlers import DeadLetterRecord
from penstock.record import HeaderPairs

if TYPE_CHECKING:
    from penstock._engine.runtime.output.acceptance import Acceptance

Output: TypeAlias = tuple[str, int | None, bytes | None, bytes | None, int | None, HeaderPairs]
"""(topic, partition or None for Kafka's choice, key, value, timestamp or None for the time of
sending, headers).
"""


class Collector:
    """Collects outputs until the host takes them; `partition_count(topic)` and `acceptance` are the
    host's knowledge.
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
        """Give what was collected since the last call."""
        outputs = self._outputs.copy()
        self._outputs.clear()
        return outputs
