"""The global stores of a worker: its own copy of whole topics, shared by all its tasks.

Before the first task runs, the topics are read to where they end now; from then on they are
followed, between two steps of the tasks, on the same thread: no task sees half a change.
Nothing of this is in a transaction, and no offset is committed to the broker: each store keeps, in
the same write as its rows, where to go on in each partition. Another copy on the same machine
belongs to another worker: the directory is that of the member's id, which a replacement takes over.
Java: GlobalStreamThread, GlobalStateManagerImpl.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._clock import Clock, SystemClock
from penstock._engine.kafka.client.client_errors import (
    GlobalTablesOutdated,
    TaskMigrated,
    is_retriable,
)
from penstock._engine.kafka.client.clients import admin_settings, consumer_settings, isolation_of
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.stable_ends import stable_ends
from penstock._engine.kafka.client.topics import PATIENCE_SECONDS
from penstock._engine.kafka.tasks.outdated_state import AgedState, find_outdated
from penstock._engine.kafka.tasks.pace import is_due
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import Partition
from penstock._engine.queries.questions import GLOBAL
from penstock._engine.queries.questions import Position as QueryPosition
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.records import RawRecord
from penstock._engine.runtime.stores.row_forms import changes_of
from penstock._engine.runtime.stores.task_stores import MakeEngine, TaskStore
from penstock._engine.state.files.state_times import StateTimes
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_BATCH_MESSAGES = 10_000
_OFFSET_BITS = 64
_NOTE_AGAIN_MS = 60_000


class GlobalTables:
    """Reads whole topics into the stores of one worker process."""

    def __init__(
        self,
        plan: SubtopologyPlan,
        config: StreamsConfig,
        partition_counts: Mapping[str, int],
        make_engine: MakeEngine,
        times: StateTimes,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._config = config
        self._times = times
        self._clock = clock or SystemClock()
        self._task = GlobalTask(plan, config, make_engine)
        self._counts = {topic: partition_counts[topic] for topic in self._task.topics()}
        self._offsets: dict[Partition, int] = {}
        """Where each partition is read next."""
        self._ends: dict[Partition, int] | None = None
        """Where each must be read to before tasks may run; None before that is known."""
        self._changed = self._failed = False
        self._last_commit_ms = 0
        self._complete_ms = self._noted_ms = 0
        self._met_ms: dict[Partition, int] = {}
        """When the end of each partition was last met."""
        self._emptied_ms = 0
        """What the client has waiting came after that, however long this process stood still."""
        self.complete = False
        """Whether the stores have had all that was there when this worker began."""
        self._consumer = Consumer(consumer_settings(config, "global"))

    @property
    def stores(self) -> dict[str, TaskStore]:
        """The stores by name; tasks may only read them."""
        return self._task.task_stores

    # What a query sees: queries/query_server.py.

    partition = GLOBAL

    @property
    def is_ready(self) -> bool:
        return self.complete

    def has_store(self, name: str) -> bool:
        return name in self.stores

    def store(self, name: str) -> TaskStore | None:
        return self.stores.get(name)

    def position(self, *, uncommitted: bool) -> QueryPosition:
        del uncommitted  # a table is read, not written
        return {}

    def offsets_behind(self) -> int:
        return self.remaining()

    def restore_progress(self, store: str) -> tuple[int, int] | None:
        del store  # the driver asks for the lags of partitions only, as in Java
        return None

    def work(self, wait_seconds: float) -> None:
        """Read and apply what has come, waiting at most so long for it."""
        try:
            if self._ends is None:
                self._begin()
            now_ms = self._clock.now_ms()
            messages = self._consumer.consume(_BATCH_MESSAGES, wait_seconds)
            self._apply(messages)
            if len(messages) < _BATCH_MESSAGES:
                self._emptied_ms = now_ms
            if self._changed and self._commit_is_due():
                self.commit()
        except TaskMigrated:
            raise  # the cluster does not answer: what was read stays right
        except BaseException:
            self._failed = True
            raise

    def remaining(self) -> int:
        """Return how many offsets are left to read before tasks may run."""
        ends = self._ends or {}
        return sum(max(0, end - self._offsets.get(place, 0)) for place, end in ends.items())

    def counters(self) -> dict[str, dict[str, int]]:
        """Return the counters, under Java's id of the global task."""
        return {self._task.task_id: self._task.counters.by_name()}

    def commit(self) -> None:
        """Make what was read part of the stores, with where to go on."""
        self._last_commit_ms = self._clock.now_ms()
        self._changed = False
        topic_of = {self._task.store_of(topic).name: topic for topic in self._counts}
        self._task.commit({store: self._position(topic) for store, topic in topic_of.items()})
        self._note_complete()

    def close(self) -> None:
        """Keep what was read, unless that is what failed, and close everything."""
        try:
            if self._changed and not self._failed:
                self.commit()
            if self.complete and not self._failed:
                self._note_ends_met()
        finally:
            self._consumer.close()
            self._task.close()

    def _begin(self) -> None:
        for topic, count in self._counts.items():
            known = self._task.store_of(topic).changelog_offset() or 0
            offsets = unpack_offsets(known, count)
            self._offsets.update({(topic, number): at for number, at in enumerate(offsets)})
        admin = AdminClient(admin_settings(self._config))
        # If the cluster does not answer, all this is tried again.
        self._complete_ms = self._clock.now_ms()
        ends = stable_ends(admin, self._offsets, isolation_of(self._config, "global"))
        self._refuse_newer_state(ends)
        self._refuse_outdated_state(ends, admin)
        self._last_commit_ms = self._clock.now_ms()
        self._task.start(self._last_commit_ms)
        self._ends = ends
        self._emptied_ms = self._complete_ms
        self._met_ms = dict.fromkeys(ends, self._complete_ms)
        self._consumer.assign(
            [
                TopicPartition(topic, number, offset or OFFSET_BEGINNING)
                for (topic, number), offset in self._offsets.items()
            ]
        )

    def _refuse_newer_state(self, ends: Mapping[Partition, int]) -> None:
        for (topic, number), end in ends.items():
            if self._offsets[topic, number] > end:
                msg = (
                    f"the local copy of topic {topic!r}, partition {number} is at offset "
                    f"{self._offsets[topic, number]}, but the topic ends at {end}: it was deleted "
                    "or made anew; nothing was changed: remove the local state (clean_up) if the "
                    "topic is right"
                )
                raise StreamsError(msg)

    def _refuse_outdated_state(self, ends: Mapping[Partition, int], admin: AdminClient) -> None:
        states = [
            AgedState(place, self._offsets[place], end, self._times.of(place[0]), is_own=False)
            for place, end in ends.items()
        ]
        for outdated in find_outdated(states, admin, self._complete_ms, PATIENCE_SECONDS):
            raise GlobalTablesOutdated(str(outdated))
        # A topic that is read from its beginning has no deletions behind it.
        if empty := {place[0] for place in ends} - {
            place[0] for place in ends if self._offsets[place]
        }:
            self._times.note(empty, self._complete_ms)

    def _note_complete(self) -> None:
        """Note, now and then, that the stores have had all that was there."""
        now_ms = self._clock.now_ms()
        if self.complete and is_due(now_ms, self._noted_ms, _NOTE_AGAIN_MS):
            self._noted_ms = now_ms
            self._times.note(self._counts, self._complete_ms)
        self._complete_ms = now_ms

    def _note_ends_met(self) -> None:
        """Note since when nothing may have been read any more."""
        for topic, count in self._counts.items():
            met_ms = min(self._met_ms[topic, number] for number in range(count))
            # What was noted at a commit may be later, but not later than now.
            if not met_ms < (self._times.of(topic) or 0) <= self._clock.now_ms():
                self._times.note([topic], met_ms)

    def _apply(self, messages: Iterable[Message]) -> None:
        now_ms = self._clock.now_ms()
        rows: dict[str, list[RawRecord]] = {}
        for message in messages:
            place = (str(message.topic()), int(message.partition() or 0))
            error, offset = message.error(), int(message.offset() or 0)
            if error is not None:
                self._handle_event(error, place, offset)
            elif self.complete or not self._task.is_table(place[0]):
                self._task.update(*place, _raw(message, offset), now_ms)
                self._offsets[place] = offset + 1
                self._changed = True
            else:
                self._offsets[place] = offset + 1
                rows.setdefault(place[0], []).append(_raw(message, offset))
        for topic, records in rows.items():
            # As they are: a table is copied without decoding its rows.
            store = self._task.store_of(topic)
            changes = changes_of(records, with_headers=store.keeps_headers)
            store.restore(changes, self._position(topic))
        if not self.complete and not self.remaining():
            self.complete = True
            self.commit()

    def _handle_event(self, error: KafkaError, place: Partition, offset: int) -> None:
        topic, number = place
        if error.code() == KafkaError._PARTITION_EOF:
            # Where reading would go on, behind any transaction markers.
            self._offsets[place] = max(self._offsets[place], offset)
            self._met_ms[place] = self._emptied_ms
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            # Java deletes the local state, too, and ends; it recovers when it is started again.
            msg = (
                f"topic {topic!r}, partition {number} of a global table no longer has the offset "
                f"{self._offsets[place]} to go on from: {error.str()}; its records were deleted"
            )
            raise GlobalTablesOutdated(msg)
        elif not is_retriable(error):
            msg = (
                f"topic {topic!r}, partition {number} of a global table cannot be read: "
                f"{error.str()}{allowing(error, 'READ', 'topic', topic)}"
            )
            raise StreamsError(msg)

    def _position(self, topic: str) -> int:
        return pack_offsets(self._offsets[topic, number] for number in range(self._counts[topic]))

    def _commit_is_due(self) -> bool:
        interval_ms = self._config.commit_interval_ms
        return is_due(self._clock.now_ms(), self._last_commit_ms, interval_ms)


def pack_offsets(offsets: Iterable[int]) -> int:
    """Write the offsets of all partitions of a topic as one number: a store keeps one."""
    packed = 0
    for number, offset in enumerate(offsets):
        packed |= offset << (_OFFSET_BITS * number)
    return packed


def unpack_offsets(packed: int, count: int) -> list[int]:
    """Read what `pack_offsets` wrote; a partition that was not there then begins at 0."""
    mask = (1 << _OFFSET_BITS) - 1
    return [(packed >> (_OFFSET_BITS * number)) & mask for number in range(count)]


def _raw(message: Message, offset: int) -> RawRecord:
    # The client's types allow for messages that are errors; this one is none.
    return cast(
        RawRecord,
        (
            offset,
            message.timestamp()[1],
            message.key(),
            message.value(),
            tuple(message.headers() or ()),
        ),
    )
