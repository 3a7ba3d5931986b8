"""TopologyTestDriver: hosts the real task, without Spark, broker or JVM.

As in Java, all sub-topologies run in one task `0_0`, every topic has one partition, and each record
is committed before the next one. Semantics 10.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TypeVar

from penstock._engine.planner.plan import plan_as_one
from penstock._engine.runtime.position import RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.topology.checks import check_given_serde, shown
from penstock._engine.topology.topology import Topology
from penstock.camel_case import ExplainsCamelCase
from penstock.clock import ManualClock, SystemClock
from penstock.durations import Duration, to_milliseconds
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig
from penstock.stores import KeyValueStore, TimestampedKeyValueStore
from penstock.testing.topics import Raw, TestInputTopic, TestOutputTopic

K = TypeVar("K")
V = TypeVar("V")

_PARTITION = 0
_driver_number = itertools.count(1)


class TopologyTestDriver(ExplainsCamelCase):
    """Runs a topology record by record. Java: TopologyTestDriver.

    >>> from penstock import StreamsBuilder, serdes
    >>> builder = StreamsBuilder()
    >>> builder.stream("words").map_values(str.upper).to("shouts")
    >>> text = serdes.string()
    >>> config = {"default.key.serde": text, "default.value.serde": text}
    >>> with TopologyTestDriver(builder.build(), config) as driver:
    ...     driver.create_input_topic("words", text, text).pipe_input("k", "hello", timestamp=5)
    ...     driver.create_output_topic("shouts", text, text).read_key_value()
    ('k', 'HELLO')
    """

    def __init__(
        self,
        topology: Topology,
        config: Mapping[str, Any] | None = None,
        initial_wall_clock_ms: int | None = None,
    ) -> None:
        if not isinstance(topology, Topology):
            msg = (
                f"TopologyTestDriver takes a Topology; got {shown(topology)}; did you forget "
                "builder.build()?"
            )
            raise TopologyError(msg)
        settings = StreamsConfig(
            {"application.id": f"test-driver-{next(_driver_number)}", **(config or {})}
        )
        start_ms = (
            SystemClock().now_ms() if initial_wall_clock_ms is None else initial_wall_clock_ms
        )
        self._clock = ManualClock(start_ms)
        plan = plan_as_one(topology, settings.application_id)
        self._patterns = [source.pattern for source in plan.sources() if source.pattern is not None]
        topics = plan.source_topics()
        self._next_offset = dict.fromkeys(
            [*topics, *(pattern.pattern for pattern in self._patterns)], 0
        )
        self._lags = {(topic, _PARTITION): 0 for topic in topics}
        self._written: dict[str, list[Raw]] = {}
        self._task = Task("0_0", plan, settings, self._lags, lambda topic: 1)
        self._task.set_lags(self._lags)
        self._task.start(start_ms)

    def create_input_topic(
        self,
        topic: str,
        key_serde: Serde[K],
        value_serde: Serde[V],
        start_timestamp: int | None = None,
        auto_advance: Duration = 0,
    ) -> TestInputTopic[K, V]:
        """Open a topic to pipe records into."""
        _check_serdes(key_serde, value_serde)
        start = self._clock.now_ms() if start_timestamp is None else start_timestamp
        return TestInputTopic(topic, self._pipe, (key_serde, value_serde), start, auto_advance)

    def create_output_topic(
        self, topic: str, key_serde: Serde[K], value_serde: Serde[V]
    ) -> TestOutputTopic[K, V]:
        """Open a topic to read records from; internal topics can be read too."""
        _check_serdes(key_serde, value_serde)
        return TestOutputTopic(topic, self._written.get, (key_serde, value_serde))

    def advance_wall_clock_time(self, duration: Duration) -> None:
        """Move the wall clock; timers that are due fire once."""
        self._clock.advance(to_milliseconds(duration, "advance"))
        self._task.punctuate_wall_clock(self._clock.now_ms())
        self._commit()
        self._run()

    def produced_topic_names(self) -> set[str]:
        """Give the topics written to so far, internal ones included."""
        return set(self._written)

    def get_state_store(self, name: str) -> Any:
        """Give a store of the topology, live and writable; None if there is none of that name."""
        return self._task.stores.get(name)

    def get_key_value_store(self, name: str) -> KeyValueStore[Any, Any] | None:
        """Give a store as keys and values, also that of a table or an aggregate, whose times are
        left out; None if there is none of that name.
        """
        store = self._task.task_store(name)
        return None if store is None else store.values

    def get_timestamped_key_value_store(
        self, name: str
    ) -> TimestampedKeyValueStore[Any, Any] | None:
        """Give the store of a table or an aggregate, values with their times; None if there is none
        of that name and kind.
        """
        store = self._task.task_store(name)
        return None if store is None or store.table is None else store.face

    def get_all_state_stores(self) -> dict[str, Any]:
        """Give all stores by name."""
        return dict(self._task.stores)

    def metrics(self) -> dict[str, int]:
        """Give what the task has counted, under Kafka Streams' names."""
        return self._task.counters.by_name()

    def close(self) -> None:
        """Close the processors."""
        self._task.close()

    def __enter__(self) -> TopologyTestDriver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _pipe(self, topic: str, raw: Raw) -> None:
        if not self._enqueue(topic, raw):
            known = ", ".join(map(repr, self._next_offset)) or "none"
            msg = f"topic {topic!r} is no input of the topology; its inputs: {known}"
            raise ValueError(msg)
        self._run()

    def _run(self) -> None:
        """Process everything that can be processed, each record committed before the next."""
        task, now_ms = self._task, self._clock.now_ms()
        self._collect()
        while task.process(now_ms):
            task.punctuate_stream_time()
            self._commit()
            self._collect()

    def _commit(self) -> None:
        self._task.prepare_commit()
        self._task.committed()

    def _collect(self) -> None:
        """Keep what was produced; what went to an input topic comes back in."""
        for topic, _, key, value, timestamp, headers in self._task.drain():
            raw = (key, value, timestamp, headers)
            self._written.setdefault(topic, []).append(raw)
            self._enqueue(topic, raw)

    def _enqueue(self, topic: str, raw: Raw) -> bool:
        """Give the record to the task; False if `topic` is none of its inputs."""
        source = self._input_of(topic)
        if source is None:
            return False
        if (topic, _PARTITION) not in self._lags:
            self._task.add_partition(topic, _PARTITION)
            self._lags[topic, _PARTITION] = 0
        key, value, timestamp, headers = raw
        record: RawRecord = (self._next_offset[source], timestamp, key, value, headers)
        self._next_offset[source] += 1
        self._task.add_records(topic, _PARTITION, (record,))
        return True

    def _input_of(self, topic: str) -> str | None:
        """Give the source that reads `topic`, by name or pattern; topics of one pattern share their
        offsets, as in Java.
        """
        if topic in self._next_offset:
            return topic
        return next(
            (pattern.pattern for pattern in self._patterns if pattern.fullmatch(topic)), None
        )


def _check_serdes(key: object, value: object) -> None:
    check_given_serde(key, "key")
    check_given_serde(value, "value")
