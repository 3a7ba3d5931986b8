"""Records that wait behind an open transaction of their producer.

Under exactly-once only committed records are read, in order: a transaction that its producer
neither commits nor aborts holds back all that comes behind it, of other producers as well. To the
reader the partition looks like one that was read to its end. So a worker compares that end with the
end of the log, which the client knows from its last fetch, and warns if it stays behind.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from penstock._clock import monotonic
from penstock._engine.planner.tasks import Partition

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 5.0
# Transactions of a minute are usual: that is the limit of producers that set none.
_WARN_SECONDS = 60.0
_NAMED = 3


class HeldBack(NamedTuple):
    """What of a partition cannot be read yet."""

    offset: int
    """Where the open transaction begins."""
    records: int
    """How many offsets there are from there on, those of marks included."""


class Inputs(Protocol):
    """The input partitions, as far as they are looked at here."""

    def held_back(self) -> Mapping[Partition, HeldBack]: ...


class OpenTransactions:
    """Warns of partitions that are held back for long; once of each open transaction."""

    def __init__(self, inputs: Inputs, warn_seconds: float = _WARN_SECONDS) -> None:
        self._inputs = inputs
        self._warn_seconds = warn_seconds
        self._looked_at = 0.0
        self._since: dict[tuple[Partition, int], float] = {}
        self._warned: set[tuple[Partition, int]] = set()

    def look(self, now: float | None = None) -> None:
        """Look every few seconds; call it after each read."""
        now = monotonic() if now is None else now
        pause = now - self._looked_at
        if pause < min(_LOOK_SECONDS, self._warn_seconds / 2):
            return
        self._looked_at = now
        if pause > 3 * _LOOK_SECONDS:
            # Nothing was read meanwhile: more may have come to the log without being held back.
            self._since.clear()
        held = {(place, one.offset): one.records for place, one in self._inputs.held_back().items()}
        self._since = {each: self._since.get(each, now) for each in held}
        self._warned &= held.keys()
        long = [each for each, since in self._since.items() if now - since >= self._warn_seconds]
        if new := [each for each in long if each not in self._warned]:
            self._warned.update(new)
            self._warn({each: held[each] for each in new})

    def _warn(self, held: Mapping[tuple[Partition, int], int]) -> None:
        (topic, number), _ = next(iter(held))
        places = [f"{place[0]}/{place[1]} at offset {offset}" for place, offset in held]
        more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
        _log.warning(
            "%d records of %s have waited for %.0f s behind a transaction that their producer has "
            "neither committed nor aborted; under exactly-once only committed records are read: "
            "end that producer's transaction, or wait for its transaction.timeout.ms; "
            "kafka-transactions.sh describe-producers --topic %s --partition %d shows who has it, "
            "find-hanging and abort end one that hangs",
            sum(held.values()),
            ", ".join(places[:_NAMED]) + more,
            self._warn_seconds,
            topic,
            number,
        )
