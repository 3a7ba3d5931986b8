"""The global stores of a worker: whole copies of their topics, updated record by record.

It has no queues, no timers, no transaction and no outputs. A record keeps its own timestamp, no
extractor runs. All tasks of a worker read its stores. Java: GlobalStateUpdateTask.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.metrics.sensors import TaskSensors
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.commit import Notes
from penstock._engine.runtime.context import forwards
from penstock._engine.runtime.failures import Failures, Handlers, lifecycle_error
from penstock._engine.runtime.idleness import Idleness
from penstock._engine.runtime.input.intake import Admit, InputPartition, make_admit
from penstock._engine.runtime.node_meter import NodeMeter
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.output.sink import SinkBuilder
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import HEADERS, RawRecord
from penstock._engine.runtime.stores.task_stores import (
    MakeEngine,
    StoreSite,
    TaskStore,
    open_stores,
)
from penstock._engine.runtime.wiring import Wiring
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.topology.nodes.stream_nodes import (
    ProcessorNode,
    SourceNode,
    UserProcessor,
    title_of,
)
from penstock.errors import ProcessingError, StreamsError
from penstock.handlers import (
    DeadLetterRecord,
    DeserializationExceptionHandler,
    LogAndFailProcessingExceptionHandler,
)
from penstock.processor import Cancellable, PunctuationType, Punctuator
from penstock.record import ConsumerRecord
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

S = TypeVar("S")

TASK_ID = "-1_-1"
"""As in Java."""


class GlobalTask:
    """The global stores of an application, in one process."""

    def __init__(
        self,
        plan: SubtopologyPlan,
        config: StreamsConfig,
        make_engine: MakeEngine,
        deserialization: DeserializationExceptionHandler | None = None,
        cache_budget: CacheBudget | None = None,
    ) -> None:
        self.task_id = TASK_ID
        self.application_id = config.application_id
        self.configs: Mapping[str, Any] = config.as_mapping()
        self.position = Position()
        self.counters = TaskCounters()
        self.notes = Notes()
        self.directory: Path | None = None  # the host sets it, if it has one
        self.sensors = TaskSensors(config.recording_level)
        self.node_meter: NodeMeter | None = None
        self.idleness = Idleness()
        self.started = False
        self.running_thread: int | None = None
        self._plan = plan
        self._config = config
        collector = Collector(lambda topic: 0)
        of_config, processing, production = config.handlers()
        if not config.handles_global_processing:
            processing = LogAndFailProcessingExceptionHandler()
        handlers = Handlers(deserialization or of_config, processing, production)
        self._failures = Failures(
            TASK_ID, handlers, self.position, _warn_of_dead_letters, self.counters
        )
        budget = cache_budget or CacheBudget(config.cache_bytes_max)
        site = StoreSite(
            0, config, collector, self.position, make_engine, budget, self.counters.drop
        )
        self.task_stores = open_stores(plan.stores, site)
        """The stores, by name."""
        sinks = SinkBuilder(collector, self._failures, self.position, self.counters)
        self._wiring = Wiring(plan, self, config, self._failures, sinks)
        self._sources = {source.topics[0]: source for source in plan.sources()}
        self._admit: dict[Partition, Admit] = {}

    def start(self, now_ms: int) -> None:
        """Initialize the processors."""
        self.position.wall_clock_ms = self.position.timestamp = now_ms
        for node in self._plan.nodes:
            for init in self._wiring.at_start[node.name]:
                try:
                    init()
                except Exception as error:
                    raise lifecycle_error(TASK_ID, node, "initialize", error) from error
        self.started = True

    def topics(self) -> list[str]:
        """Return the topics that feed the stores."""
        return list(self._sources)

    def is_table(self, topic: str) -> bool:
        """Yes if the records of a topic are the rows of its store; a processor of the user may
        store others.
        """
        processor = self._processor_of(topic)
        return not isinstance(processor.operation, UserProcessor)

    def store_of(self, topic: str) -> TaskStore:
        """Return the store that a topic feeds."""
        [store] = self._plan.stores_of[self._processor_of(topic).name][:1]
        return self.task_stores[store]

    @forwards
    def update(self, topic: str, partition: int, raw: RawRecord, now_ms: int) -> None:
        """Process the next record of a partition."""
        position, source = self.position, self._sources[topic]
        admit = self._admit.get((topic, partition))
        if admit is None:
            admit = self._admit[topic, partition] = self._make_admit(source, topic, partition)
        position.wall_clock_ms = now_ms
        admitted = admit(raw, -1)
        if admitted is None:
            return
        timestamp, key, value = admitted
        position.topic, position.partition, position.raw = topic, partition, raw
        try:
            self._wiring.functions[source.name](key, value, timestamp, raw[HEADERS])
        except ProcessingError:
            raise
        except Exception as error:
            self._failures.fail_in_source(source, error)

    @forwards
    def commit(self, positions: Mapping[str, int] | None = None) -> None:
        """Write all changes to the engines, each with its position in its topic."""
        for store in self.task_stores.values():
            store.flush()
        for name, store in self.task_stores.items():
            store.commit(None if positions is None else positions[name])

    def close(self) -> None:
        """Close the processors and the stores; uncommitted changes are lost."""
        self.running_thread = None
        try:
            for node in self._plan.nodes:
                for close in self._wiring.at_end[node.name]:
                    try:
                        close()
                    except Exception as error:
                        raise lifecycle_error(TASK_ID, node, "close", error) from error
        finally:
            for store in self.task_stores.values():
                store.close()

    # TaskServices, for the processors.

    def schedule(
        self,
        node: ProcessorNode,
        interval_ms: int,
        type: PunctuationType,
        callback: Punctuator,
        start_ms: int | None,
    ) -> Cancellable:
        """Refuse timers: this task processes only the records of its topics."""
        msg = f"processor {node.name!r} of a global store must not schedule anything"
        raise StreamsError(msg)

    def request_commit(self) -> None:
        """Do nothing, as in Java: there is no transaction."""

    def store(self, name: str) -> Any:
        """Return a store as its processor sees it."""
        return self.task_stores[name].face

    def state(self, name: str, kind: type[S]) -> S:
        """Return a store as an operator sees it."""
        return self.task_stores[name].state(kind)

    def global_store(self, name: str) -> TaskStore | None:
        """Return None: processors here may write their stores."""
        return None

    def shared(self, name: str, make: Callable[[], S]) -> S:
        """Return a new object: the processors of global stores share none."""
        return make()

    def _processor_of(self, topic: str) -> ProcessorNode:
        source = self._sources[topic]
        return next(
            node
            for node in self._plan.nodes
            if isinstance(node, ProcessorNode) and node.parents == (source.name,)
        )

    def _make_admit(self, source: SourceNode, topic: str, partition: int) -> Admit:
        config, title = self._config, title_of(source)
        place = InputPartition(
            source,
            topic,
            partition,
            config.key_serde(source.key_serde, title),
            config.value_serde(source.value_serde, title),
            _own_time,
        )
        return make_admit(place, self._failures, self.counters)


def _warn_of_dead_letters(records: tuple[DeadLetterRecord, ...]) -> None:
    """As in Java: this task has no producer."""
    if records:
        _log.warning(
            "dead_letters=%s not sent: a handler cannot send dead letters for records of global "
            "stores",
            len(records),
        )


def _own_time(record: ConsumerRecord, _partition_time: int) -> int:
    if record.timestamp < 0:
        msg = (
            "a record of the topic of a global store must have a timestamp of 0 or later; got "
            f"{record.timestamp}; timestamp extractors are not asked about such topics: write the "
            "record again with a timestamp"
        )
        raise StreamsError(msg)
    return record.timestamp
