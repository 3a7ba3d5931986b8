"""One task: the record's way from a partition's bytes to outputs.

Synchronous and deterministic: its host (test driver, Spark slot, bounded Spark job) feeds records
and the time, takes the outputs and performs the commit. Java: StreamTask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

from penstock._clock import monotonic
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.metrics.sensors import TaskSensors
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.commit import (
    Commit,
    CommitOffset,
    Notes,
    decide,
    decode_notes,
    decode_partition_time,
)
from penstock._engine.runtime.context import forwards
from penstock._engine.runtime.failures import (
    Failures,
    Handlers,
    exit_called,
    lifecycle_error,
)
from penstock._engine.runtime.idleness import Idleness
from penstock._engine.runtime.input.intake import InputPartition, decoders_of, make_admit
from penstock._engine.runtime.input.partition_run import process_run
from penstock._engine.runtime.input.record_queue import RecordQueue, RecordQueues
from penstock._engine.runtime.node_meter import NodeMeter
from penstock._engine.runtime.output.collector import Acceptance, Collector
from penstock._engine.runtime.output.sink import SinkBuilder
from penstock._engine.runtime.position import UNKNOWN, Position, RawScope
from penstock._engine.runtime.punctuation import Punctuations, Schedule
from penstock._engine.runtime.records import OFFSET, Output, RawRecord
from penstock._engine.runtime.stores.task_stores import (
    MakeEngine,
    StoreSite,
    TaskStore,
    flush_stores,
    memory_engine,
    open_stores,
)
from penstock._engine.runtime.wiring import Wiring
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.overlay import Reserve
from penstock._engine.topology.deferred_calls import refuse_deferred_work
from penstock._engine.topology.nodes.stream_nodes import (
    ProcessorNode,
    SinkNode,
    SourceNode,
    title_of,
)
from penstock.errors import ProcessingError, StreamsError
from penstock.processor import Cancellable, PunctuationType, Punctuator
from penstock.record import HeaderPairs
from penstock.settings import StreamsConfig

S = TypeVar("S")

NEVER = math.inf
"""A deadline that never passes."""


class Task:
    """A sub-topology on one set of partitions."""

    def __init__(
        self,
        task_id: str,
        plan: SubtopologyPlan,
        config: StreamsConfig,
        partitions: Iterable[Partition],
        partition_count: Callable[[str], int],
        *,
        make_engine: MakeEngine = memory_engine,
        cache_budget: CacheBudget | None = None,
        global_stores: Mapping[str, TaskStore] | None = None,
        reserve: Reserve | None = None,
        acceptance: Acceptance | None = None,
    ) -> None:
        self.task_id = task_id
        self.application_id = config.application_id
        self.configs: Mapping[str, Any] = config.as_mapping()
        self.position = Position(keeps_bytes=config.keeps_raw_bytes())
        self.counters = TaskCounters()
        self.notes = Notes()
        self.directory: Path | None = None  # the host sets it, if it has one
        self.sensors = TaskSensors(
            config.recording_level,
            task_id=task_id,
            nodes=(node.name for node in plan.nodes),
        )
        """The sensors of the user's processors."""
        self.node_meter = _node_meter(self.position, config)
        """Measures each record; None at the recording level INFO."""
        self.idleness = Idleness()
        self.commit_requested = False
        self.started = False
        self.running_thread: int | None = None
        self._plan = plan
        self._config = config
        self._consumed: dict[RecordQueue, None] = {}
        self._source_names: dict[str, str] = {}
        self.sink_names = _sink_names(plan)
        """The sink nodes by the topics that they write to."""
        self._commit_needed = False
        self._collector = Collector(partition_count, acceptance)
        handlers = Handlers(*config.handlers())
        self._failures = Failures(
            task_id, handlers, self.position, self._collector.send_dead_letters, self.counters
        )
        sinks = SinkBuilder(self._collector, self._failures, self.position, self.counters)
        self._stream_timers = Punctuations(self._fire)
        self._wall_clock_timers = Punctuations(self._fire)
        budget = cache_budget or CacheBudget(config.cache_bytes_max)
        number, drop = int(task_id.rpartition("_")[2]), self.counters.drop
        site = StoreSite(
            number, config, self._collector, self.position, make_engine, budget, drop, reserve
        )
        self._stores = open_stores(plan.stores, site)
        self.stores = {name: store.face for name, store in self._stores.items()}
        """The stores as processors see them."""
        self._global_stores = global_stores or {}
        self._shared: dict[str, object] = {}
        self._wiring = Wiring(plan, self, config, self._failures, sinks)
        self._queues = RecordQueues(config.max_task_idle_ms, self.counters)
        for topic, partition in partitions:
            self.add_partition(topic, partition)

    def start(self, now_ms: int) -> None:
        """Initialize the processors, parents first; what they store has the wall-clock time."""
        self.position.wall_clock_ms = self.position.timestamp = now_ms
        for store in self._stores.values():
            store.forget_reads()
            store.read_first()
        for node in self._plan.nodes:
            for init in self._wiring.at_start[node.name]:
                try:
                    init()
                except Exception as error:
                    raise lifecycle_error(self.task_id, node, "initialize", error) from error
        self.started = True

    def add_partition(self, topic: str, partition: int) -> None:
        """Read one more partition: one of the plan, or of a new topic that matches a pattern."""
        self._queues.open(self._queue(topic, partition))

    def add_records(self, topic: str, partition: int, raws: Iterable[RawRecord]) -> None:
        """Buffer records of one partition, in offset order."""
        self._queues.add(topic, partition, raws)

    def set_lags(self, lags: Mapping[Partition, int]) -> None:
        """Set how many records of each partition are still on the broker."""
        self._queues.lags = lags

    def resume(self, partition: Partition, offset: int, metadata: str) -> None:
        """Continue from the commit of a partition, before the start: its offset, and the time and
        the notes in its metadata.
        """
        self.notes.merge(decode_notes(metadata))
        partition_time = decode_partition_time(metadata)
        queue = self._queues.by_partition[partition]
        queue.next_offset = offset
        queue.partition_time = max(queue.partition_time, partition_time)
        self.position.stream_time_ms = max(self.position.stream_time_ms, partition_time)

    def buffered(self) -> dict[Partition, int]:
        """Return how many records of each partition are buffered."""
        return {partition: len(queue) for partition, queue in self._queues.by_partition.items()}

    def has_records(self) -> bool:
        """Yes if records are buffered."""
        return self._queues.has_records()

    def next_timestamp(self) -> int:
        """Return the time of the record that comes next; there must be one."""
        return self._queues.next_timestamp()

    @forwards
    def process(self, now_ms: int, limit: int = 1, deadline: float = NEVER) -> int:
        """Process up to `limit` records, as long as the task need not wait for other partitions.

        Return how many were processed: fewer where the monotonic clock passes `deadline`.
        """
        queues = self._queues
        self.position.wall_clock_ms = now_ms
        done = 0
        while done < limit and queues.ready(now_ms):
            queue = queues.next()
            run, before = queues.next_run(queue)
            taken = self._process_from(queue, min(limit - done, run), before, deadline)
            queues.put_back(queue)
            done += taken
            if deadline is not NEVER and monotonic() >= deadline:
                break
        if done:
            self._commit_needed = True
            self.idleness.reset()
        return done

    def next_place(self, now_ms: int) -> tuple[str, int, int] | None:
        """Return topic, partition and offset of the record that comes next, None if none may."""
        if not self._queues.ready(now_ms):
            return None
        queue = self._queues.peek()
        return queue.topic, queue.partition, queue.head_offset()

    def reject_next(self, error: StreamsError, now_ms: int) -> None:
        """Take the record that comes next and hand it to the processing handler, with `error`,
        instead of to the topology.
        """
        queue = self._queues.peek()
        process = queue.process
        failed = self._failures.of_node(queue.source, RawScope())

        def reject(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            failed(error, key, value, timestamp, headers)

        queue.process = reject
        try:
            self.process(now_ms, 1)
        finally:
            queue.process = process

    def reject_input(self, topic: str, partition: int, raw: RawRecord, error: StreamsError) -> None:
        """Hand a record to the deserialization handler, with `error`, instead of decoding it."""
        queue = self._queues.by_partition[topic, partition]
        self._failures.of_input(queue.source, topic, partition, raw, error)
        queue.next_offset = raw[OFFSET] + 1
        self._consumed[queue] = None
        self._commit_needed = True

    def _process_from(self, queue: RecordQueue, count: int, before: int, deadline: float) -> int:
        """Process the next record of a queue, and those that follow it and are of an earlier time
        than `before`, `count` at most, until `deadline`. Return how many there were.
        """
        position = self.position
        position.topic, position.partition = queue.topic, queue.partition
        self._consumed[queue] = None
        try:
            return process_run(queue, position, self.counters, self._fail, count, before, deadline)
        except SystemExit as called:
            # In a worker's thread it would end the engine silently.
            self._failures.fail_in_source(queue.source, exit_called(called))

    def _fail(self, queue: RecordQueue, error: Exception) -> NoReturn:
        if isinstance(error, ProcessingError):
            raise error
        self._failures.fail_in_source(queue.source, error)

    @forwards
    def punctuate_stream_time(self) -> None:
        """Fire the stream-time timers that are due."""
        if self.position.stream_time_ms != UNKNOWN:
            self._punctuated(self._stream_timers.fire_due(self.position.stream_time_ms))

    @forwards
    def punctuate_wall_clock(self, now_ms: int) -> None:
        """Fire the wall-clock timers that are due."""
        self.position.wall_clock_ms = now_ms
        self._punctuated(self._wall_clock_timers.fire_due(now_ms))

    @forwards
    def stay_idle(self, elapsed_ms: int) -> None:
        """Advance the operators that watch for idleness: for another `elapsed_ms` there was no
        record for this task. Without effect while records wait, here or on the broker.
        """
        if self._queues.has_records() or self._queues.is_behind():
            return
        now_ms, idleness = self.position.wall_clock_ms, self.idleness
        for watcher in idleness.advance(elapsed_ms):
            self.position.enter_timer(now_ms)
            try:
                if watcher.go_on(idleness.elapsed_ms, idleness.period):
                    self._commit_needed = True
            except Exception as error:
                self._failures.of_timer(watcher.node, now_ms, error)

    def drain(self) -> list[Output]:
        """Return what was produced since the last call."""
        return self._collector.drain()

    @property
    def uncommitted(self) -> bool:
        """Whether anything happened since the last commit."""
        return self._commit_needed

    def prepare_commit(self) -> Commit | None:
        """Flush the caches, then return what to commit; None if nothing happened since the last
        commit.

        The flush may produce outputs: drain them after this.
        """
        if not self._commit_needed:
            return None
        self.flush()
        new_notes = self.notes.changed
        return decide(
            self._queues.by_partition.values() if new_notes else self._consumed, self.notes
        )

    @forwards
    def flush(self) -> None:
        """Flush the caches."""
        flush_stores(self._stores.values())

    def last_offsets(self) -> dict[Partition, CommitOffset]:
        """Return the offsets that were committed last, or would be now, of all that was read."""
        return decide(self._queues.by_partition.values(), self.notes).offsets

    def next_offsets(self) -> dict[Partition, int]:
        """Return the offset to read next of each partition of which anything was read: those of
        `last_offsets` without the metadata, which takes longer to encode.
        """
        offsets = (
            (partition, queue.committable_offset())
            for partition, queue in self._queues.by_partition.items()
        )
        return {partition: offset for partition, offset in offsets if offset is not None}

    def committed(self, changelog_offsets: Mapping[Partition, int] | None = None) -> None:
        """Mark the prepared commit as performed; `changelog_offsets` are the next offsets of the
        changelogs.
        """
        offsets = changelog_offsets or {}
        for store in self._stores.values():
            store.commit(None if store.changelog is None else offsets.get(store.changelog))
        self._consumed.clear()
        self._commit_needed = self.commit_requested = self.notes.changed = False

    def close(self) -> None:
        """Close all processors, in the order in which they were initialized, then raise what the
        last of them raised, as Java does.
        """
        failure: StreamsError | None = None
        self.running_thread = None
        for node in self._plan.nodes:
            for close in self._wiring.at_end[node.name]:
                try:
                    close()
                except Exception as error:
                    failure = lifecycle_error(self.task_id, node, "close", error)
                    failure.__cause__ = error
        for store in self._stores.values():
            try:
                store.close()
            except StreamsError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def discard(self) -> None:
        """Close after an abort: uncommitted changes are lost, and failures to close are ignored."""
        with suppress(StreamsError):
            self.close()

    def restorable(self) -> dict[Partition, TaskStore]:
        """Return the stores to be restored before the start, by their changelog partitions."""
        return {
            store.changelog: store for store in self._stores.values() if store.changelog is not None
        }

    def state_entries(self) -> dict[str, int]:
        """Return about how many committed entries each store has."""
        return {name: store.committed_entries() for name, store in self._stores.items()}

    def schedule(
        self,
        node: ProcessorNode,
        interval_ms: int,
        type: PunctuationType,
        callback: Punctuator,
        start_ms: int | None,
    ) -> Cancellable:
        """Start a timer of `node`: for stream time due at once, for the wall clock an interval from
        now.
        """
        stream_time = type is PunctuationType.STREAM_TIME
        now_ms = self.position.stream_time_ms if stream_time else self.position.wall_clock_ms
        timers = self._stream_timers if stream_time else self._wall_clock_timers
        first_ms = start_ms if start_ms is not None else 0 if stream_time else now_ms + interval_ms
        schedule = Schedule(node, first_ms, interval_ms, callback)
        timers.add(schedule, anchored_now_ms=None if start_ms is None else now_ms)
        return schedule

    def request_commit(self) -> None:
        """Ask the host for a commit."""
        self.commit_requested = True

    def store(self, name: str) -> Any:
        """Return a store of this task as processors see it."""
        return self.stores[name]

    def task_stores(self) -> Iterable[TaskStore]:
        """Return all stores with all their views."""
        return self._stores.values()

    def metric_rows(self, now: float) -> Iterator[MetricRow]:
        """Yield the metrics of the stores, of the nodes, and of the user's sensors."""
        for store in self._stores.values():
            yield from store.metric_rows(now)
        if self.node_meter is not None:
            yield from self.node_meter.rows(now)
        yield from self.sensors.rows(now)

    def debug_values(self, now: float) -> dict[str, float]:
        """Return metrics of the task that are recorded at the level DEBUG."""
        cached = sum(store.metrics.cache_bytes for store in self._stores.values())
        late = {} if self.node_meter is None else self.node_meter.task_values(now)
        return {"cache-size-bytes-total": cached, **late}

    def source_name(self, topic: str) -> str:
        """Return the name of the source node that reads a topic."""
        known = self._source_names.get(topic)
        if known is None:
            known = self._source_names[topic] = self._source_of(topic).name
        return known

    def task_store(self, name: str) -> TaskStore | None:
        """Return a store with all its views, None if there is none of that name."""
        return self._stores.get(name)

    def state(self, name: str, kind: type[S]) -> S:
        """Return a store as the operators of that kind see it."""
        return self._stores[name].state(kind)

    def global_store(self, name: str) -> TaskStore | None:
        """Return a store that all tasks of the worker share, None if there is none of that name."""
        return self._global_stores.get(name)

    def shared(self, name: str, make: Callable[[], S]) -> S:
        """Return the object of that name that nodes of this task share; the first call makes it."""
        if name not in self._shared:
            self._shared[name] = make()
        return cast(S, self._shared[name])

    def _fire(self, schedule: Schedule, now_ms: int) -> None:
        self.position.enter_timer(now_ms)
        try:
            refuse_deferred_work(schedule.callback(now_ms), "a timer's callback")
        except SystemExit as called:
            self._failures.of_timer(schedule.node, now_ms, exit_called(called))
        except Exception as error:
            self._failures.of_timer(schedule.node, now_ms, error)

    def _punctuated(self, count: int) -> None:
        if count:
            self.counters.punctuated += count
            self._commit_needed = True

    def _queue(self, topic: str, partition: int) -> RecordQueue:
        source, config = self._source_of(topic), self._config
        place = InputPartition(
            source,
            topic,
            partition,
            config.key_serde(source.key_serde, title_of(source)),
            config.value_serde(source.value_serde, title_of(source)),
            source.timestamp_extractor or config.default_timestamp_extractor,
        )
        admit = make_admit(place, self._failures, self.counters)
        process = self._wiring.functions[source.name]
        if self.node_meter is not None:
            process = self.node_meter.entered(source.name, process)
        return RecordQueue(source, topic, partition, admit, process, decoders=decoders_of(place))

    def _source_of(self, topic: str) -> SourceNode:
        for source in self._plan.sources():
            if topic in source.topics or (
                source.pattern is not None and source.pattern.fullmatch(topic)
            ):
                return source
        msg = (
            f"task {self.task_id} was given topic {topic!r}, which no source of its sub-topology "
            "reads"
        )
        raise StreamsError(msg)


def _node_meter(position: Position, config: StreamsConfig) -> NodeMeter | None:
    return NodeMeter(position, monotonic()) if config.records_debug_metrics else None


def _sink_names(plan: SubtopologyPlan) -> dict[str, str]:
    return {
        node.topic: node.name
        for node in plan.nodes
        if isinstance(node, SinkNode) and isinstance(node.topic, str)
    }
