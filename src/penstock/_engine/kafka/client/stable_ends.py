"""Where partitions end for readers, once the transactions at their ends are decided.

The broker answers a commit before it writes the markers. Until they are there the last stable
offset lies before the committed records, and what takes it for the end leaves them out.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from confluent_kafka.admin import AdminClient

from penstock._clock import monotonic
from penstock._engine.kafka.client.topics import PATIENCE_SECONDS, Isolation, end_offsets
from penstock._engine.planner.tasks import Partition

_log = logging.getLogger(__name__)

# A marker takes some milliseconds. A transaction that is still open takes as long as its writer
# likes, and is not waited for.
_MARKER_SECONDS = 5.0
_PAUSE_SECONDS = 0.02


def stable_ends(
    admin: AdminClient,
    partitions: Iterable[Partition],
    isolation: Isolation = "read_committed",
    timeout_seconds: float = PATIENCE_SECONDS,
) -> dict[Partition, int]:
    """Return the end offset of each partition for a reader with this isolation. Transactions that
    hide records which are there now are waited for, some seconds.

    Raises:
        StreamsError: the cluster does not answer, or refuses.
    """
    places = list(partitions)
    written = end_offsets(admin, places, "read_uncommitted", timeout_seconds)
    if isolation == "read_uncommitted":
        return written
    until = monotonic() + _MARKER_SECONDS
    while True:
        ends = end_offsets(admin, places, "read_committed", timeout_seconds)
        hidden = [place for place in places if ends[place] < written[place]]
        if not hidden:
            return ends
        if monotonic() >= until:
            break
        time.sleep(_PAUSE_SECONDS)
    for topic, number in hidden:
        _log.warning(
            "topic=%s partition=%d ends before an open transaction, at offset %d: the records from "
            "there to %d are not counted",
            topic,
            number,
            ends[topic, number],
            written[topic, number],
        )
    return ends
