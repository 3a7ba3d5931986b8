"""TopologyTestDriver: hosts the real task, without Spark, broker or JVM.

As in Java, all sub-topologies run in one task `0_0`, every topic has one partition, and each record
is committed before the next one.

Long because each method has an example.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._clock import ManualClock, SystemClock, monotonic
from penstock._durations import Duration, to_milliseconds
from penstock._engine.operators.stateless import empty_files
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.plan import plan_as_one, plan_global_stores
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.records import RawRecord
from penstock._engine.runtime.stores.task_stores import MakeEngine, TaskStore
from penstock._engine.runtime.task import Task
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.topology.checks import check_given_serde, check_topic, refuse_initial, shown
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError, TopologyError
from penstock.handlers import LogAndContinueExceptionHandler
from penstock.serdes import Serde
from penstock.settings import StreamsConfig
from penstock.settings.config import given_settings
from penstock.settings.keys import over_defaults
from penstock.settings.table import JOIN_EMIT_INTERVAL, KEEP_FINAL_RESULTS, WINDOW_EMIT_INTERVAL
from penstock.stores import (
    KeyValueStore,
    SessionStore,
    SessionStoreWithHeaders,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedKeyValueStore,
    WindowStore,
)
from penstock.stores._builders import StoreKind
from penstock.testing.engines import DriverEngines
from penstock.testing.topics import Raw, TestInputTopic, TestOutputTopic

K = TypeVar("K")
V = TypeVar("V")

_PARTITION = 0
_driver_number = itertools.count(1)

_AS_JAVAS: Mapping[str, object] = {
    # Final results, which an application looks for at intervals, are emitted with each record here.
    JOIN_EMIT_INTERVAL: 0,
    WINDOW_EMIT_INTERVAL: 0,
    # What a store has forgotten by then is lost.
    KEEP_FINAL_RESULTS: False,
}
"""Settings that are other in Java's driver than in an application, unless they are given."""


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
        config: Mapping[str, Any] | StreamsConfig | None = None,
        initial_wall_clock_ms: int | None = None,
    ) -> None:
        _check(topology)
        named = {"application.id": f"test-driver-{next(_driver_number)}", **_AS_JAVAS}
        settings = StreamsConfig(over_defaults(named, given_settings(config)))
        start_ms = (
            SystemClock().now_ms() if initial_wall_clock_ms is None else initial_wall_clock_ms
        )
        self._clock = ManualClock(start_ms)
        topology = with_default_stores(topology, settings)
        self._topology_stores = tuple(topology.stores)
        plan = plan_as_one(topology, settings.application_id)
        self._patterns = [source.pattern for source in plan.sources() if source.pattern is not None]
        topics = plan.source_topics()
        self._next_offset = dict.fromkeys(
            [*topics, *(pattern.pattern for pattern in self._patterns)], 0
        )
        self._lags = {(topic, _PARTITION): 0 for topic in topics}
        self._written: dict[str, list[Raw]] = {}
        dead_letters = settings.as_mapping()["errors.dead.letter.queue.topic.name"]
        self._outputs = {*plan.sink_topics(), *([dead_letters] if dead_letters else [])}
        self._engines = DriverEngines(settings.application_id, "0_0")
        # As in Java's driver, and unlike an application: one cache for the task and global stores.
        budget = CacheBudget(settings.cache_bytes_max)
        self._global = _global_task(topology, settings, self._engines.open, budget)
        global_stores: dict[str, TaskStore] = {}
        if self._global is not None:
            self._next_offset.update(dict.fromkeys(self._global.topics(), 0))
            self._global.start(start_ms)
            global_stores = self._global.task_stores
        empty_files(plan.nodes)
        self._task = Task(
            "0_0",
            plan,
            settings,
            self._lags,
            lambda topic: 1,
            make_engine=self._engines.open,
            cache_budget=budget,
            global_stores=global_stores,
        )
        self._task.directory = self._engines.folder / "0_0"
        self._task.set_lags(self._lags)
        self._task.start(start_ms)
        self._closed = False

    def create_input_topic(
        self,
        topic: str,
        key_serde: Serde[K],
        value_serde: Serde[V],
        start_timestamp: int | None = None,
        auto_advance: Duration = 0,
    ) -> TestInputTopic[K, V]:
        """Open a topic to pipe records into.

        >>> orders.to("copies")
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     topic = driver.create_input_topic("orders", text, number, auto_advance=minute)
        ...     topic.pipe_key_value_list([("ann", 5), ("bob", 2)])
        ...     driver.create_output_topic("copies", text, number).queue_size()
        2
        """
        check_topic(topic)
        _check_serdes(key_serde, value_serde)
        start = self._clock.now_ms() if start_timestamp is None else start_timestamp
        return TestInputTopic(topic, self._pipe, (key_serde, value_serde), start, auto_advance)

    def create_output_topic(
        self, topic: str, key_serde: Serde[K], value_serde: Serde[V]
    ) -> TestOutputTopic[K, V]:
        """Open a topic to read records from; internal topics can be read too. Reading one that
        nothing names and nothing has been written to logs a warning, as in Java.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_values()
        [5, 2, 3]
        """
        check_topic(topic)
        _check_serdes(key_serde, value_serde)
        return TestOutputTopic(topic, self._written, (key_serde, value_serde), self._outputs)

    def advance_wall_clock_time(self, duration: Duration) -> None:
        """Move the wall clock; timers that are due fire once.

        >>> class Ticker(Processor):
        ...     def init(self, context):
        ...         super().init(context)
        ...         context.schedule(minute, PunctuationType.WALL_CLOCK_TIME, print)
        ...     def process(self, record):
        ...         pass
        >>> _ = orders.process(Ticker)
        >>> with driver_of(builder.build()) as driver:
        ...     driver.advance_wall_clock_time(minute)
        60000
        """
        self._check_open()
        elapsed_ms = to_milliseconds(duration, "advance")
        self._clock.advance(elapsed_ms)
        self._task.punctuate_wall_clock(self._clock.now_ms())
        self._task.stay_idle(elapsed_ms)
        self._commit()
        self._run()

    def produced_topic_names(self) -> set[str]:
        """Return the topics written to so far, internal ones included.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.produced_topic_names()
        {'copies'}
        """
        return set(self._written)

    def get_state_store(self, name: str) -> Any:
        """Return a store of the topology, live and writable.

        Raises:
            ValueError: the topology has no store of that name, or no processor uses it.

        >>> counts = by_customer.count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_state_store("counts").get("ann")
        ValueAndTimestamp(value=2, timestamp=240000)
        """
        return self._store(name).face

    def get_key_value_store(self, name: str) -> KeyValueStore[Any, Any]:
        """Return a store as keys and values, also that of a table or an aggregate, whose times are
        left out.

        Raises:
            ValueError: as with all these getters, there is none of that name and kind.

        >>> counts = by_customer.count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_key_value_store("counts").get("ann")
        2
        """
        store: KeyValueStore[Any, Any] = self._store_of(
            name, "key_value", "timestamped_key_value", "timestamped_key_value_with_headers"
        ).values
        return store

    def get_timestamped_key_value_store(self, name: str) -> TimestampedKeyValueStore[Any, Any]:
        """Return the store of a table or an aggregate, values with their times; headers are left
        out.

        >>> counts = by_customer.count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_timestamped_key_value_store("counts").get("ann")
        ValueAndTimestamp(value=2, timestamp=240000)
        """
        store: TimestampedKeyValueStore[Any, Any] = self._store_of(
            name, "timestamped_key_value", "timestamped_key_value_with_headers"
        ).timed
        return store

    def get_versioned_key_value_store(self, name: str) -> VersionedKeyValueStore[Any, Any]:
        """Return the store of a versioned table.

        >>> last = orders.to_table(Materialized("last", text, number, history_retention=hour))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_versioned_key_value_store("last").get("ann", as_of=60_000).value
        5
        """
        store: VersionedKeyValueStore[Any, Any] = self._store_of(name, "versioned_key_value").face
        return store

    def get_window_store(self, name: str) -> WindowStore[Any, Any]:
        """Return a window store, also that of a windowed aggregate, whose times are left out.

        >>> counts = by_customer.windowed_by(five_minutes).count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_window_store("counts").fetch("ann", 0)
        2
        """
        store: WindowStore[Any, Any] = self._store_of(
            name, "window", "timestamped_window", "timestamped_window_with_headers"
        ).values
        return store

    def get_timestamped_window_store(self, name: str) -> TimestampedWindowStore[Any, Any]:
        """Return the store of a windowed aggregate, values with their times; headers are left out.
        The store of a join of streams keeps no times: its rows have the time -1, as in Java.

        >>> counts = by_customer.windowed_by(five_minutes).count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_timestamped_window_store("counts").fetch("ann", 0)
        ValueAndTimestamp(value=2, timestamp=240000)
        """
        kinds: list[StoreKind] = ["timestamped_window", "timestamped_window_with_headers"]
        if self._store(name).timed is not None:
            kinds.append("window")  # of a join
        store: TimestampedWindowStore[Any, Any] = self._store_of(name, *kinds).timed
        return store

    def get_session_store(self, name: str) -> SessionStore[Any, Any]:
        """Return a session store.

        >>> visits = by_customer.windowed_by(SessionWindows.of_inactivity_gap(minute))
        >>> counts = visits.count(Materialized("visits"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.get_session_store("visits").fetch_session("ann", 240_000, 240_000)
        1
        """
        store: SessionStore[Any, Any] = self._store_of(
            name, "session", "session_with_headers"
        ).values
        return store

    def get_timestamped_key_value_store_with_headers(
        self, name: str
    ) -> TimestampedKeyValueStoreWithHeaders[Any, Any]:
        """Return a store that keeps headers, values with their times and headers.

        >>> last = Stores.timestamped_key_value_store_with_headers("last", key=text, value=number)
        >>> topology = Topology().add_source("in", "in").add_processor("user", Processor, "in")
        >>> with driver_of(topology.add_state_store(last, "user")) as driver:
        ...     store = driver.get_timestamped_key_value_store_with_headers("last")
        ...     store.put("ann", ValueTimestampHeaders(5, 60_000, Headers([("trace", b"1")])))
        ...     store.get("ann").headers
        Headers([('trace', b'1')])
        """
        store: TimestampedKeyValueStoreWithHeaders[Any, Any] = self._store_of(
            name, "timestamped_key_value_with_headers"
        ).face
        return store

    def get_timestamped_window_store_with_headers(
        self, name: str
    ) -> TimestampedWindowStoreWithHeaders[Any, Any]:
        """Return a window store that keeps headers, values with their times and headers.

        >>> amounts = Stores.timestamped_window_store_with_headers(
        ...     "amounts", retention=hour, window_size=minute
        ... )
        >>> topology = Topology().add_source("in", "in").add_processor("user", Processor, "in")
        >>> with driver_of(topology.add_state_store(amounts, "user")) as driver:
        ...     store = driver.get_timestamped_window_store_with_headers("amounts")
        ...     store.put("ann", ValueTimestampHeaders(5, 30_000, Headers()), 0)
        ...     store.fetch("ann", 0).timestamp
        30000
        """
        store: TimestampedWindowStoreWithHeaders[Any, Any] = self._store_of(
            name, "timestamped_window_with_headers"
        ).face
        return store

    def get_session_store_with_headers(self, name: str) -> SessionStoreWithHeaders[Any, Any]:
        """Return a session store that keeps headers, aggregates with their headers.

        >>> visits = Stores.session_store_with_headers("visits", retention=hour)
        >>> topology = Topology().add_source("in", "in").add_processor("user", Processor, "in")
        >>> with driver_of(topology.add_state_store(visits, "user")) as driver:
        ...     store = driver.get_session_store_with_headers("visits")
        ...     store.put(Windowed("ann", 0, 60_000), AggregationWithHeaders(5, Headers()))
        ...     store.fetch_session("ann", 0, 60_000).aggregation
        5
        """
        store: SessionStoreWithHeaders[Any, Any] = self._store_of(name, "session_with_headers").face
        return store

    def get_all_state_stores(self) -> dict[str, Any]:
        """Return all stores by name, global ones too; as in Java, None for a store that no
        processor uses: no task opens it.

        >>> counts = by_customer.count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     list(driver.get_all_state_stores())
        ['counts']
        """
        unused: dict[str, Any] = dict.fromkeys(self._topology_stores)
        of_all = {} if self._global is None else self._global.task_stores
        opened = {**self._task.stores, **{name: store.face for name, store in of_all.items()}}
        return {**unused, **opened}

    def metrics(self) -> dict[str, int | float | str]:
        """Return what the task has counted, and what feeds the global stores, under Kafka Streams'
        names, and what sensors of processors say; with `metrics.recording.level` DEBUG also how
        late records were.

        >>> counts = by_customer.windowed_by(two_minutes).count(Materialized("counts"))
        >>> with driver_of(builder.build()) as driver:
        ...     driver.metrics()["dropped-records-total"]
        0
        """
        counted: dict[str, Any] = dict(self._task.counters.by_name())
        if self._task.node_meter is not None:
            counted |= self._task.node_meter.task_values(monotonic())
        for row in self._task.sensors.rows(monotonic()):
            counted |= row.values
        if self._global is not None:
            for name, count in self._global.counters.by_name().items():
                counted[name] += count
        return counted

    def close(self) -> None:
        """Close the processors and the stores.

        >>> driver = driver_of(builder.build())
        >>> driver.close()
        """
        self._closed = True
        self._task.close()
        if self._global is not None:
            self._global.close()
        self._engines.close()

    def __enter__(self) -> TopologyTestDriver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _store_of(self, name: str, *kinds: StoreKind) -> TaskStore:
        store = self._store(name)
        if store.kind not in kinds:
            msg = (
                f"state store {name!r} must be of kind {' or '.join(map(_spoken, kinds))}; it is "
                f"of kind {_spoken(store.kind)}; use the getter of that kind"
            )
            raise ValueError(msg)
        return store

    def _store(self, name: str) -> TaskStore:
        store = self._task.task_store(name) or self._task.global_store(name)
        if store is not None:
            return store
        if name in self._topology_stores:
            msg = (
                f"state store {name!r} is used by no processor, so that no task opens it; connect "
                f"it: process(..., state_stores=[{name!r}])"
            )
            raise ValueError(msg)
        known = ", ".join(map(repr, self.get_all_state_stores())) or "none"
        msg = f"the topology has no state store {name!r}; its stores: {known}"
        raise ValueError(msg)

    def _check_open(self) -> None:
        if self._closed:
            msg = "the driver is closed; pipe and advance before close(), inside its with block"
            raise StreamsError(msg)

    def _pipe(self, topic: str, raw: Raw) -> None:
        self._check_open()
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
        """Hand the record to the task or to a global store; False if `topic` is no input."""
        source = self._input_of(topic)
        if source is None:
            return False
        if self._global is not None and topic in self._global.topics():
            self._feed(self._global, topic, raw)
            return True
        if (topic, _PARTITION) not in self._lags:
            self._task.add_partition(topic, _PARTITION)
            self._lags[topic, _PARTITION] = 0
        key, value, timestamp, headers = raw
        time = -1 if timestamp is None else timestamp
        record: RawRecord = (self._next_offset[source], time, key, value, headers)
        self._next_offset[source] += 1
        self._task.add_records(topic, _PARTITION, (record,))
        return True

    def _feed(self, stores: GlobalTask, topic: str, raw: Raw) -> None:
        key, value, timestamp, headers = raw
        time = -1 if timestamp is None else timestamp
        record: RawRecord = (self._next_offset[topic], time, key, value, headers)
        self._next_offset[topic] += 1
        stores.update(topic, _PARTITION, record, self._clock.now_ms())
        stores.commit()

    def _input_of(self, topic: str) -> str | None:
        """Return the source that reads `topic`, by name or pattern; topics of one pattern share
        their offsets, as in Java.
        """
        if topic in self._next_offset:
            return topic
        return next(
            (pattern.pattern for pattern in self._patterns if pattern.fullmatch(topic)), None
        )


def _global_task(
    topology: Topology, settings: StreamsConfig, make_engine: MakeEngine, budget: CacheBudget
) -> GlobalTask | None:
    plan = plan_global_stores(topology)
    if plan is None:
        return None
    # As in Java's driver, whatever the settings say.
    skip_unreadable = LogAndContinueExceptionHandler()
    return GlobalTask(plan, settings, make_engine, skip_unreadable, budget)


def _spoken(kind: StoreKind) -> str:
    return repr(kind.replace("_", " "))


def _check_serdes(key: object, value: object) -> None:
    check_given_serde(key, "key")
    check_given_serde(value, "value")


def _check(topology: object) -> None:
    if not isinstance(topology, Topology):
        msg = (
            f"TopologyTestDriver takes a Topology; got {shown(topology)}; did you forget "
            "builder.build()?"
        )
        raise TopologyError(msg)
    refuse_initial(topology.initial_tables, "pipe its rows into the topic")
