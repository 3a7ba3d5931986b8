"""The Processor API: write an operator of your own.

```python
class Deduplicate(Processor[str, str, str, str]):
    def init(self, context):
        super().init(context)
        self.seen = context.get_state_store("seen")

    def process(self, record):
        if self.seen.put_if_absent(record.key, record.value) is None:
            self.context.forward(record)
```

A supplier is any callable without arguments that returns a new processor each time: the class
itself will do. If it has a `stores()` without arguments (in a class, a static method), the stores
that this returns are added with the processor and connected to it.

Long because each method has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeAlias, TypeVar

from penstock._durations import Duration
from penstock.metrics import StreamsMetrics
from penstock.record import FixedKeyRecord, Headers, Record, RecordMetadata
from penstock.serdes import Serde

__all__ = [
    "Cancellable",
    "FixedKeyProcessor",
    "FixedKeyProcessorContext",
    "FixedKeyProcessorSupplier",
    "Processor",
    "ProcessorContext",
    "ProcessorSupplier",
    "PunctuationType",
    "Punctuator",
    "TransformerContext",
    "ValueTransformerWithKey",
    "ValueTransformerWithKeySupplier",
]

K = TypeVar("K")
KIn_contra = TypeVar("KIn_contra", contravariant=True)
VIn_contra = TypeVar("VIn_contra", contravariant=True)
KOut = TypeVar("KOut")
VOut = TypeVar("VOut")
KForward_contra = TypeVar("KForward_contra", contravariant=True)
VForward_contra = TypeVar("VForward_contra", contravariant=True)
R_contra = TypeVar("R_contra", contravariant=True)

Punctuator: TypeAlias = Callable[[int], object]
"""What a timer calls, with the time at which it was due.

>>> timer = MockProcessorContext().schedule(minute, PunctuationType.STREAM_TIME, print)
>>> timer.callback(60_000)
60000
"""


class PunctuationType(Enum):
    """Which clock drives a schedule. Java: PunctuationType.

    >>> class Clock(Processor):
    ...     def init(self, context):
    ...         super().init(context)
    ...         context.schedule(minute, PunctuationType.STREAM_TIME, self.tick)
    ...     def process(self, record):
    ...         pass
    ...     def tick(self, timestamp):
    ...         self.context.forward(Record("tick", timestamp, timestamp))
    >>> show(orders.process(Clock))
    [('tick', 0), ('tick', 60000), ('tick', 240000), ('tick', 540000)]
    """

    STREAM_TIME = "stream_time"
    """The timestamps of the records: no record, no tick. First due at the first record."""
    WALL_CLOCK_TIME = "wall_clock_time"
    """The machine's clock. First due one interval from now."""


class Cancellable(Protocol):
    """What `schedule` returns.

    >>> timer = MockProcessorContext().schedule(minute, PunctuationType.STREAM_TIME, print)
    >>> timer.cancel()
    >>> timer.cancelled
    True
    """

    def cancel(self) -> None:
        """Stop the timer for good; its own callback may call this too.

        >>> timer = MockProcessorContext().schedule(minute, PunctuationType.STREAM_TIME, print)
        >>> timer.cancel()
        >>> timer.cancelled
        True
        """


class _Context(Protocol[R_contra]):
    """The part of the context that all kinds of processors share."""

    @property
    def application_id(self) -> str: ...
    @property
    def task_id(self) -> str: ...
    @property
    def key_serde(self) -> Serde[Any]:
        """The default serde of keys; ConfigError if there is none.

        >>> MockProcessorContext(SETTINGS).key_serde
        serdes.string()
        """

    @property
    def value_serde(self) -> Serde[Any]:
        """The default serde of values; ConfigError if there is none.

        >>> MockProcessorContext(SETTINGS).value_serde
        serdes.json()
        """

    @property
    def state_dir(self) -> Path:
        """A directory of this task for files of your own. It is on this machine only and may be
        lost with the task: keep what matters in a store.

        >>> MockProcessorContext(state_dir="files").state_dir.name
        'files'
        """

    @property
    def metrics(self) -> StreamsMetrics:
        """Takes sensors of the processor's own, shown by `KafkaStreams.metrics`.

        >>> sensor = MockProcessorContext().metrics.add_sensor("basket-size")
        >>> sensor.record(3)
        """

    @property
    def record_metadata(self) -> RecordMetadata:
        """Where the record in hand was read; (None, -1, -1) in `init` and in a timer.

        >>> class Offset(FixedKeyProcessor):
        ...     def process(self, record):
        ...         self.context.forward(record.with_value(self.context.record_metadata.offset))
        >>> show(orders.process_values(Offset))
        [('ann', 0), ('bob', 1), ('ann', 2)]
        """

    @property
    def current_stream_time_ms(self) -> int:
        """The highest timestamp this task has taken up, -1 before the first record.

        >>> class Now(FixedKeyProcessor):
        ...     def process(self, record):
        ...         self.context.forward(record.with_value(self.context.current_stream_time_ms))
        >>> show(orders.process_values(Now))
        [('ann', 0), ('bob', 60000), ('ann', 240000)]
        """

    @property
    def current_system_time_ms(self) -> int:
        """The wall clock as it was when this call began.

        >>> context = MockProcessorContext()
        >>> context.set_current_system_time_ms(60_000)
        >>> context.current_system_time_ms
        60000
        """

    def forward(self, record: R_contra, child: str | None = None) -> None:
        """Hand `record` to all children, or to the one named; returns when they are done with
        it.

        >>> class Route(Processor):
        ...     def process(self, record):
        ...         self.context.forward(record, "large" if record.value > 2 else "small")
        >>> topology = Topology().add_source("in", "orders", key=text, value=number)
        >>> _ = topology.add_processor("route", Route, "in")
        >>> _ = topology.add_sink("large", "large-orders", "route", key=text, value=number)
        >>> _ = topology.add_sink("small", "small-orders", "route", key=text, value=number)
        >>> with driver_of(topology) as driver:
        ...     driver.create_output_topic("small-orders", text, number).read_key_values()
        [('bob', 2)]
        """

    def schedule(
        self,
        interval: Duration,
        type: PunctuationType,
        callback: Punctuator,
        *,
        start_time: int | None = None,
    ) -> Cancellable:
        """Call `callback(timestamp)` every `interval`, anchored at `start_time` (ms) if given.

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

    def commit(self) -> None:
        """Ask for a commit soon.

        >>> context = MockProcessorContext()
        >>> context.commit()
        >>> context.committed
        True
        """

    def get_state_store(self, name: str) -> Any:
        """Return a store that is connected to this processor.

        >>> class Spent(FixedKeyProcessor):
        ...     def process(self, record):
        ...         store = self.context.get_state_store("spent")
        ...         store.put(record.key, record.value + (store.get(record.key) or 0))
        ...         self.context.forward(record.with_value(store.get(record.key)))
        >>> _ = builder.add_state_store(Stores.key_value_store("spent", key=text, value=number))
        >>> show(orders.process_values(Spent, state_stores=["spent"]))
        [('ann', 5), ('bob', 2), ('ann', 8)]
        """

    def app_configs(self) -> Mapping[str, Any]:
        """Return all settings of the application.

        >>> MockProcessorContext({"application.id": "shop"}).app_configs()
        {'application.id': 'shop'}
        """

    def app_configs_with_prefix(self, prefix: str) -> Mapping[str, Any]:
        """Return the settings that start with `prefix`, without it.

        >>> MockProcessorContext({"shop.currency": "EUR"}).app_configs_with_prefix("shop.")
        {'currency': 'EUR'}
        """


class ProcessorContext(
    _Context["Record[KForward_contra, VForward_contra]"], Protocol[KForward_contra, VForward_contra]
):
    """What a processor may ask of the task that runs it. Java: ProcessorContext.

    >>> class Where(Processor):
    ...     def process(self, record):
    ...         topic, partition, offset = self.context.record_metadata
    ...         self.context.forward(record.with_value(f"{topic}/{partition}/{offset}"))
    >>> show(orders.process(Where))
    [('ann', 'orders/0/0'), ('bob', 'orders/0/1'), ('ann', 'orders/0/2')]
    """


class FixedKeyProcessorContext(
    _Context["FixedKeyRecord[KForward_contra, VForward_contra]"],
    Protocol[KForward_contra, VForward_contra],
):
    """What a processor that keeps the key may ask of its task. Java: FixedKeyProcessorContext.

    >>> class Where(FixedKeyProcessor):
    ...     def process(self, record):
    ...         self.context.forward(record.with_value(self.context.task_id))
    >>> show(orders.process_values(Where))
    [('ann', '0_0'), ('bob', '0_0'), ('ann', '0_0')]
    """


class TransformerContext(_Context["NoReturn"], Protocol):
    """What a transformer of a table may ask of its task; it must not forward. Java:
    ProcessorContext, with forward disabled.

    >>> class Seen(ValueTransformerWithKey):
    ...     def transform(self, key, value):
    ...         return f"{value} at {self.context.timestamp}"
    >>> show(cities.transform_values(Seen))
    [('ann', 'Oslo at 0'), ('bob', 'Rome at 0')]
    """

    @property
    def timestamp(self) -> int:
        """The time of the record in hand; -1 if there is none.

        >>> class Seen(ValueTransformerWithKey):
        ...     def transform(self, key, value):
        ...         return self.context.timestamp
        >>> show(cities.transform_values(Seen))
        [('ann', 0), ('bob', 0)]
        """

    @property
    def headers(self) -> Headers:
        """The headers of the record in hand; what is changed here goes on with the record.

        >>> class Traced(ValueTransformerWithKey):
        ...     def transform(self, key, value):
        ...         self.context.headers.add("seen", b"yes")
        ...         return len(self.context.headers)
        >>> show(cities.transform_values(Traced))
        [('ann', 1), ('bob', 1)]
        """


class _HasContext:
    """Explains the usual slip: an `init` that does not hand its context on."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self).__name__
            msg = f"{kind!r} object has no attribute {name!r}"
            if name == "context":
                msg = f"{kind} has no context; its init must call super().init(context)"
            raise AttributeError(msg, name=name, obj=self)


class Processor(_HasContext, Generic[KIn_contra, VIn_contra, KOut, VOut]):
    """One node of a topology, in the user's own code. Java: Processor.

    >>> class Large(Processor[str, int, str, int]):
    ...     def process(self, record):
    ...         if record.value > 2:
    ...             self.context.forward(record)
    >>> show(orders.process(Large))
    [('ann', 5), ('ann', 3)]
    """

    context: ProcessorContext[KOut, VOut]

    def init(self, context: ProcessorContext[KOut, VOut]) -> None:
        """Get ready; called once per task, before the first record.

        >>> class FirstOrder(Processor):
        ...     def init(self, context):
        ...         super().init(context)
        ...         self.seen = context.get_state_store("seen")
        ...     def process(self, record):
        ...         if self.seen.put_if_absent(record.key, record.value) is None:
        ...             self.context.forward(record)
        >>> _ = builder.add_state_store(Stores.key_value_store("seen", key=text, value=number))
        >>> show(orders.process(FirstOrder, state_stores=["seen"]))
        [('ann', 5), ('bob', 2)]
        """
        self.context = context

    def process(self, record: Record[KIn_contra, VIn_contra]) -> None:
        """Take one record.

        >>> class Twice(Processor):
        ...     def process(self, record):
        ...         self.context.forward(record)
        ...         self.context.forward(record.with_key("all"))
        >>> show(orders.process(Twice))
        [('ann', 5), ('all', 5), ('bob', 2), ('all', 2), ('ann', 3), ('all', 3)]
        """
        msg = f"{type(self).__name__} must override process(record)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task.

        >>> class Polite(Processor):
        ...     def process(self, record):
        ...         pass
        ...     def close(self):
        ...         print("closed")
        >>> show(orders.process(Polite))
        closed
        []
        """


class MarksRecords:
    """A processor that knows records by their offsets, as `write_once` does."""

    marks: tuple[str, str]
    """Where the marks are: a database, and a name that no other processor may use there."""


class FixedKeyProcessor(_HasContext, Generic[K, VIn_contra, VOut]):
    """A processor that must not change the key, so that no repartitioning is needed. Java:
    FixedKeyProcessor.

    >>> class Doubled(FixedKeyProcessor[str, int, int]):
    ...     def process(self, record):
    ...         self.context.forward(record.with_value(record.value * 2))
    >>> show(orders.process_values(Doubled))
    [('ann', 10), ('bob', 4), ('ann', 6)]
    """

    context: FixedKeyProcessorContext[K, VOut]

    def init(self, context: FixedKeyProcessorContext[K, VOut]) -> None:
        """Get ready; called once per task, before the first record.

        >>> class Numbered(FixedKeyProcessor):
        ...     def init(self, context):
        ...         super().init(context)
        ...         self.number = 0
        ...     def process(self, record):
        ...         self.number += 1
        ...         self.context.forward(record.with_value(self.number))
        >>> show(orders.process_values(Numbered))
        [('ann', 1), ('bob', 2), ('ann', 3)]
        """
        self.context = context

    def process(self, record: FixedKeyRecord[K, VIn_contra]) -> None:
        """Take one record.

        >>> class Doubled(FixedKeyProcessor):
        ...     def process(self, record):
        ...         self.context.forward(record.with_value(record.value * 2))
        >>> show(orders.process_values(Doubled))
        [('ann', 10), ('bob', 4), ('ann', 6)]
        """
        msg = f"{type(self).__name__} must override process(record)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task.

        >>> class Polite(FixedKeyProcessor):
        ...     def process(self, record):
        ...         pass
        ...     def close(self):
        ...         print("closed")
        >>> show(orders.process_values(Polite))
        closed
        []
        """


class ValueTransformerWithKey(_HasContext, Generic[KIn_contra, VIn_contra, VOut]):
    """Makes the values of a table out of another's, and may keep state. Java:
    ValueTransformerWithKey.

    >>> class Length(ValueTransformerWithKey[str, str, int]):
    ...     def transform(self, key, value):
    ...         return None if value is None else len(value)
    >>> show(cities.transform_values(Length))
    [('ann', 4), ('bob', 4)]
    """

    context: TransformerContext

    def init(self, context: TransformerContext) -> None:
        """Get ready; called once per task, before the first record.

        >>> class Timed(ValueTransformerWithKey):
        ...     def init(self, context):
        ...         super().init(context)
        ...         self.application = context.application_id.partition("-")[0]
        ...     def transform(self, key, value):
        ...         return f"{value} in {self.application}"
        >>> show(cities.transform_values(Timed))
        [('ann', 'Oslo in test'), ('bob', 'Rome in test')]
        """
        self.context = context

    def transform(self, key: KIn_contra, value: VIn_contra | None) -> VOut | None:
        """Return the new value of a row; a value of None, of a row that is deleted, is passed
        too.

        >>> class Visit(ValueTransformerWithKey):
        ...     def transform(self, key, value):
        ...         return f"{key} lives in {value} since {self.context.timestamp}"
        >>> show(cities.transform_values(Visit))
        [('ann', 'ann lives in Oslo since 0'), ('bob', 'bob lives in Rome since 0')]
        """
        msg = f"{type(self).__name__} must override transform(key, value)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task.

        >>> class Polite(ValueTransformerWithKey):
        ...     def transform(self, key, value):
        ...         return value
        ...     def close(self):
        ...         print("closed")
        >>> show(cities.transform_values(Polite))
        closed
        [('ann', 'Oslo'), ('bob', 'Rome')]
        """


ProcessorSupplier: TypeAlias = Callable[[], Processor[KIn_contra, VIn_contra, KOut, VOut]]
"""Returns a new processor at each call: a class, or any function without arguments.

>>> class Large(Processor):
...     def __init__(self, limit):
...         self.limit = limit
...     def process(self, record):
...         if record.value > self.limit:
...             self.context.forward(record)
>>> show(orders.process(lambda: Large(2)))
[('ann', 5), ('ann', 3)]
"""
FixedKeyProcessorSupplier: TypeAlias = Callable[[], FixedKeyProcessor[K, VIn_contra, VOut]]
"""Returns a new processor at each call.

>>> class Doubled(FixedKeyProcessor):
...     def process(self, record):
...         self.context.forward(record.with_value(record.value * 2))
>>> show(orders.process_values(lambda: Doubled()))
[('ann', 10), ('bob', 4), ('ann', 6)]
"""
ValueTransformerWithKeySupplier: TypeAlias = Callable[
    [], ValueTransformerWithKey[KIn_contra, VIn_contra, VOut]
]
"""Returns a new transformer at each call.

>>> class Length(ValueTransformerWithKey):
...     def transform(self, key, value):
...         return None if value is None else len(value)
>>> show(cities.transform_values(lambda: Length()))
[('ann', 4), ('bob', 4)]
"""
