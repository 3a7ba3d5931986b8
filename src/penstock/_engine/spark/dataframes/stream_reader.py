"""Topics as a streaming source: offsets are Kafka's, so a replayed batch reads the same records.

Spark calls all but `read` in one Python process that lives as long as the query; `read` runs in the
workers, on what the InputPartition and this object bring. Java: KafkaMicroBatchStream of Spark.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from penstock import _clock as clock
from penstock._clock import SystemClock
from penstock._engine.kafka.client.admin_calls import until
from penstock._engine.kafka.client.topic_offsets import TopicOffsets
from penstock._engine.planner.internal_topics import is_sink_journal
from penstock._engine.planner.tasks import Partition
from penstock._engine.spark.dataframes.offsets import (
    Available,
    Document,
    Position,
    admit,
    find_losses,
    from_document,
    initial_document,
    is_initial,
    plan_batch,
    refusal,
    start_of,
    to_document,
)
from penstock._engine.spark.dataframes.request import ReadRequest, bounds_of
from penstock._engine.spark.dataframes.split_partitions import SplitPartition, read_part, scan_of
from penstock._engine.spark.shipping.shipping import dumps
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    import pyarrow as pa

_log = logging.getLogger(__name__)

# Spark asks again 10 ms after it was told that there is nothing new.
_IDLE_SECONDS = 0.05
_SETTLING_SECONDS = 2.0


class TopicStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads topics batch by batch."""

    def __init__(self, request: ReadRequest, config: StreamsConfig) -> None:
        self._request = request
        self._scan = dumps(scan_of(request, config))
        self._topics = TopicOffsets(config, request.choice)
        self._state = _QueryState()

    def __reduce__(self) -> Any:
        # What workers need: how to read. The clients stay in the process that has them.
        return _WorkerReader, (self._scan,)

    def initialOffset(self) -> Document:
        """Return an offset that says how to find the start; the first batch holds what was found.

        The start is looked for now, so that records which come from now on are read. After a
        restart Spark may ask for it without need: then it need not be there any more, and if it is
        needed, `latestOffset` says what is wrong.
        """
        self._request.check_stream()
        with suppress(StreamsError):
            self._began()
        return initial_document(str(self._request.starting_as_stream))

    def getDefaultReadLimit(self) -> ReadLimit:
        self._request.check_stream()
        limit = self._request.max_offsets_per_trigger
        return ReadAllAvailable() if limit is None else ReadMaxRows(limit)

    def prepareForTriggerAvailableNow(self) -> None:
        # Whatever Spark calls first checks the request, before a cluster is asked. Not when the
        # reader is made: PySpark would report that it has none to stop.
        self._request.check_stream()
        self._topics.refresh()
        self._state.target = self._look()

    def latestOffset(self, start: Document, limit: ReadLimit) -> Document:
        first = is_initial(start)
        begin = self._began() if first else self._known(from_document(start))
        now = self._settled(begin)
        losses = find_losses(begin, now)
        self._report([lost for lost in losses if lost not in self._state.reported])
        self._state.reported = frozenset(losses)
        begins = self._begins(begin, now)
        rows = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        # A topic that is absent now may be back with the same records: it is not begun anew then.
        end = begin.updated(Position(admit(begins, now.offsets, rows), now.ids))
        if end == begin and not first:
            self._rest()
            return start
        if self._request.choice.pattern is not None:
            # Else the offsets of all topics that ever matched would be kept.
            end = end.aged(now, SystemClock().now_ms())
        new = begin.changed(begins, now.ids)
        began = begin.updated(new) if first else new if new.offsets else None
        return to_document(end, began)

    def reportLatestOffset(self) -> Document | None:
        """Return the ends of the topics, as Spark shows them in the progress of a query."""
        seen = self._state.seen
        return None if seen is None else to_document(Position(seen.offsets))

    def partitions(self, start: Document, end: Document) -> Sequence[InputPartition]:
        begin, finish = start_of(start, end), from_document(end)
        moved = [
            one
            for one, to in finish.offsets.items()
            if begin.offsets.get(one) != to or not begin.knows(one, finish.ids)
        ]
        if not moved:
            return []
        wanted = Position({one: finish.offsets[one] for one in moved}, finish.ids)
        now = self._available(wanted)
        splits, losses = plan_batch(begin, wanted, now, self._request.max_records_per_partition)
        self._report(losses)
        kinds = self._timestamp_types({split.topic for split in splits})
        return [SplitPartition(split, kinds.get(split.topic)) for split in splits]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_part(self._scan, partition)

    def _began(self) -> Position:
        """Return where the query begins, found once. With a target it does not begin behind it."""
        if self._state.began is None:
            since = bounds_of(self._request.starting_as_stream)
            found = self._topics.ranges(since, {})
            starts = {(one.topic, at): to for one in found for at, to in one.starts.items()}
            target = self._state.target
            if target is not None:
                starts = {one: min(at, target.offsets.get(one, at)) for one, at in starts.items()}
            self._state.began = Position(starts, self._topics.ids())
        return self._state.began

    def _known(self, begin: Position) -> Position:
        """Return a position without the journals that a pattern matched in an earlier version."""
        if self._request.choice.pattern is None:
            return begin
        return begin.without({topic for topic, _ in begin.offsets if is_sink_journal(topic)})

    def _look(self) -> Position:
        offsets = self._topics.ends()
        self._state.seen = Position(offsets, self._topics.ids())
        return self._state.seen

    def _available(self, wanted: Position) -> Available:
        """Return what Kafka has now of the partitions of a batch. Topics may have been made anew
        since it was planned. A broker that lags behind may know an older id than the batch: it is
        asked again before that counts as a loss.
        """

        def is_settled() -> bool:
            self._topics.refresh()
            ids = self._topics.ids()
            same = all(wanted.is_same(topic, ids) for topic, _ in wanted.offsets)
            return same or ids == self._state.settled_ids

        if not until(is_settled, _SETTLING_SECONDS):
            self._state.settled_ids = self._topics.ids()
        seen = self._state.seen
        if seen is None or any(
            to > seen.offsets.get(one, -1) for one, to in wanted.offsets.items()
        ):
            seen = self._look()  # a batch that is run again after a restart
        return Available(self._topics.firsts(wanted.offsets), seen.offsets, self._topics.ids())

    def _settled(self, begin: Position) -> Position:
        """Return the ends of now, or of the target. An end before what was read may be that of a
        new leader that does not know better yet: it is asked again before it counts as a loss.
        """
        if self._state.target is not None:
            return self._state.target
        known = self._state.reported

        def has_lost(now: Position) -> bool:
            return not known.issuperset(find_losses(begin, now))

        now = self._look()
        if has_lost(now):
            self._topics.refresh()
            until(lambda: not has_lost(self._look()), _SETTLING_SECONDS)
            now = self._look()
        return now

    def _begins(self, begin: Position, now: Position) -> Mapping[Partition, int]:
        """Return where each partition goes on; one that is new begins with its first record."""
        known = {one: begin.offsets[one] for one in now.offsets if begin.knows(one, now.ids)}
        new = [one for one, end in now.offsets.items() if known.get(one, end + 1) > end]
        return {**now.offsets, **known, **self._topics.firsts(new)}

    def _timestamp_types(self, topics: set[str]) -> Mapping[str, int]:
        known = self._state.timestamp_types
        if unknown := topics - set(known):
            known.update(dict.fromkeys(unknown))
            known.update(self._topics.timestamp_types(unknown))
        return {topic: kind for topic, kind in known.items() if kind is not None}

    def _report(self, losses: list[str]) -> None:
        if losses and self._request.fail_on_data_loss:
            raise refusal(losses)
        for lost in losses:
            _log.warning("%s; the query goes on with what there is", lost)

    def _rest(self) -> None:
        """Wait a moment if the last answer was that there is nothing new, too."""
        now = clock.monotonic()
        pause = self._state.idle_until - now
        if pause > 0:
            time.sleep(pause)
        self._state.idle_until = clock.monotonic() + _IDLE_SECONDS


class _QueryState:
    """What the process of a query remembers between two calls."""

    def __init__(self) -> None:
        self.began: Position | None = None
        self.target: Position | None = None
        """Where a query ends that reads what is available now."""
        self.seen: Position | None = None
        """The ends of the last look."""
        self.reported: frozenset[str] = frozenset()
        """The losses of the last look, which last: a topic stays away, say."""
        self.settled_ids: Mapping[str, str] | None = None
        """Ids that were waited for already: they are not those of a broker that lags behind."""
        self.timestamp_types: dict[str, int | None] = {}
        self.idle_until = 0.0


class _WorkerReader(DataSourceStreamReader):
    """The part of a reader that runs in workers."""

    def __init__(self, scan: bytes) -> None:
        self._scan = scan

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_part(self._scan, partition)
