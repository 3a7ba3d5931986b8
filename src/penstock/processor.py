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

KIn = TypeVar("KIn")
VIn = TypeVar("VIn")
KOut = TypeVar("KOut")
VOut = TypeVar("VOut")
KForward = TypeVar("KForward")
VForward = TypeVar("VForward")
R_contra = TypeVar("R_contra", contravariant=True)

Punctuator: TypeAlias = Callable[[int], object]


class PunctuationType(Enum):
    """Which clock drives a schedule. Java: PunctuationType."""

    STREAM_TIME = "stream_time"
    """The timestamps of the records: no record, no tick. First due at the first record."""
    WALL_CLOCK_TIME = "wall_clock_time"
    """The machine's clock. First due one interval from now."""


class Cancellable(Protocol):
    """What `schedule` returns."""

    def cancel(self) -> None:
        """Stop the timer for good; its own callback may call this too."""


class _Context(Protocol[R_contra]):
    """The part of the context that all kinds of processors share."""

    @property
    def application_id(self) -> str: ...
    @property
    def task_id(self) -> str: ...
    @property
    def key_serde(self) -> Serde[Any]:
        """The default serde of keys; ConfigError if there is none."""

    @property
    def value_serde(self) -> Serde[Any]:
        """The default serde of values; ConfigError if there is none."""

    @property
    def state_dir(self) -> Path:
        """A directory of this task for files of your own. It is on this machine only and may be
        lost with the task: keep what matters in a store.
        """

    @property
    def metrics(self) -> StreamsMetrics:
        """Takes sensors of the processor's own, shown by `KafkaStreams.metrics`."""

    @property
    def record_metadata(self) -> RecordMetadata:
        """Where the record in hand was read; (None, -1, -1) in `init` and in a timer."""

    @property
    def current_stream_time_ms(self) -> int:
        """The highest timestamp this task has taken up, -1 before the first record."""

    @property
    def current_system_time_ms(self) -> int:
        """The wall clock as it was when this call began."""

    def forward(self, record: R_contra, child: str | None = None) -> None:
        """Hand `record` to all children, or to the one named; returns when they are done with
        it.
        """

    def schedule(
        self,
        interval: Duration,
        type: PunctuationType,
        callback: Punctuator,
        *,
        start_time: int | None = None,
    ) -> Cancellable:
        """Call `callback(timestamp)` every `interval`, anchored at `start_time` (ms) if given."""

    def commit(self) -> None:
        """Ask for a commit soon."""

    def get_state_store(self, name: str) -> Any:
        """Return a store that is connected to this processor."""

    def app_configs(self) -> Mapping[str, Any]:
        """Return all settings of the application."""

    def app_configs_with_prefix(self, prefix: str) -> Mapping[str, Any]:
        """Return the settings that start with `prefix`, without it."""


class ProcessorContext(_Context["Record[KForward, VForward]"], Protocol[KForward, VForward]):
    """What a processor may ask of the task that runs it. Java: ProcessorContext."""


class FixedKeyProcessorContext(
    _Context["FixedKeyRecord[KForward, VForward]"], Protocol[KForward, VForward]
):
    """What a processor that keeps the key may ask of its task. Java: FixedKeyProcessorContext."""


class TransformerContext(_Context["NoReturn"], Protocol):
    """What a transformer of a table may ask of its task; it must not forward. Java:
    ProcessorContext, with forward disabled.
    """

    @property
    def timestamp(self) -> int:
        """The time of the record in hand; -1 if there is none."""

    @property
    def headers(self) -> Headers:
        """The headers of the record in hand; what is changed here goes on with the record."""


class _HasContext:
    """Explains the usual slip: an `init` that does not hand its context on."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self).__name__
            msg = f"{kind!r} object has no attribute {name!r}"
            if name == "context":
                msg = f"{kind} has no context; its init must call super().init(context)"
            raise AttributeError(msg, name=name, obj=self)


class Processor(_HasContext, Generic[KIn, VIn, KOut, VOut]):
    """One node of a topology, in the user's own code. Java: Processor."""

    context: ProcessorContext[KOut, VOut]

    def init(self, context: ProcessorContext[KOut, VOut]) -> None:
        """Get ready; called once per task, before the first record."""
        self.context = context

    def process(self, record: Record[KIn, VIn]) -> None:
        """Take one record."""
        msg = f"{type(self).__name__} must override process(record)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task."""


class FixedKeyProcessor(_HasContext, Generic[KIn, VIn, VOut]):
    """A processor that must not change the key, so that no repartitioning is needed. Java:
    FixedKeyProcessor.
    """

    context: FixedKeyProcessorContext[KIn, VOut]

    def init(self, context: FixedKeyProcessorContext[KIn, VOut]) -> None:
        """Get ready; called once per task, before the first record."""
        self.context = context

    def process(self, record: FixedKeyRecord[KIn, VIn]) -> None:
        """Take one record."""
        msg = f"{type(self).__name__} must override process(record)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task."""


class ValueTransformerWithKey(_HasContext, Generic[KIn, VIn, VOut]):
    """Makes the values of a table out of another's, and may keep state. Java:
    ValueTransformerWithKey.
    """

    context: TransformerContext

    def init(self, context: TransformerContext) -> None:
        """Get ready; called once per task, before the first record."""
        self.context = context

    def transform(self, key: KIn, value: VIn | None) -> VOut | None:
        """Return the new value of a row; a value of None, of a row that is deleted, is passed
        too.
        """
        msg = f"{type(self).__name__} must override transform(key, value)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task."""


ProcessorSupplier: TypeAlias = Callable[[], Processor[KIn, VIn, KOut, VOut]]
FixedKeyProcessorSupplier: TypeAlias = Callable[[], FixedKeyProcessor[KIn, VIn, VOut]]
ValueTransformerWithKeySupplier: TypeAlias = Callable[[], ValueTransformerWithKey[KIn, VIn, VOut]]
