"""What Kafka takes, as far as the host of a task knows before a record is sent.

The test driver and bounded jobs know no limits; a worker does (`kafka/tasks/refused_records.py`).
"""

from __future__ import annotations

from typing import Protocol

from penstock._engine.runtime.output.collector import Output
from penstock.errors import ProductionError


class Acceptance(Protocol):
    """Tells which outputs need not be sent, since they would be refused."""

    suspicious_bytes: int
    """Bytes of key and value from which on `refusal_of` must be asked."""

    def watches(self, topic: str) -> bool:
        """Yes if `refusal_of` must be asked for each record of the topic."""

    def missing(self, topic: str) -> ProductionError | None:
        """Return why records of a topic that is met for the first time cannot be sent, if so."""

    def refusal_of(self, output: Output) -> ProductionError | None:
        """Return why Kafka would refuse an output, None if it is not known to."""
