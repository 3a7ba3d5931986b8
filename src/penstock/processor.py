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

K = TypeVar("K")
KIn_contra = TypeVar("KIn_contra", contravariant=True)
VIn_contra = TypeVar("VIn_contra", contravariant=True)
KOut = TypeVar("KOut")
VOut = TypeVar("VOut")
KForward_contra = TypeVar("KForward_contra", contravariant=True)
VForward_contra = TypeVar("VForward_contra", contravariant=True)
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


class ProcessorContext(
    _Context["Record[KForward_contra, VForward_contra]"], Protocol[KForward_contra, VForward_contra]
):
    """What a processor may ask of the task that runs it. Java: ProcessorContext."""


class FixedKeyProcessorContext(
    _Context["FixedKeyRecord[KForward_contra, VForward_contra]"],
    Protocol[KForward_contra, VForward_contra],
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


class Processor(_HasContext, Generic[KIn_contra, VIn_contra, KOut, VOut]):
    """One node of a topology, in the user's own code. Java: Processor."""

    context: ProcessorContext[KOut, VOut]

    def init(self, context: ProcessorContext[KOut, VOut]) -> None:
        """Get ready; called once per task, before the first record."""
        self.context = context

    def process(self, record: Record[KIn_contra, VIn_contra]) -> None:
        """Take one record."""
        msg = f"{type(self).__name__} must override process(record)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task."""


class FixedKeyProcessor(_HasContext, Generic[K, VIn_contra, VOut]):
    """A processor that must not change the key, so that no repartitioning is needed. Java:
    FixedKeyProcessor.
    """

    context: FixedKeyProcessorContext[K, VOut]

    def init(self, context: FixedKeyProcessorContext[K, VOut]) -> None:
        """Get ready; called once per task, before the first record."""
        self.context = context

    def process(self, record: FixedKeyRecord[K, VIn_contra]) -> None:
        """Take one record."""
        msg = f"{type(self).__name__} must override process(record)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task."""


class ValueTransformerWithKey(_HasContext, Generic[KIn_contra, VIn_contra, VOut]):
    """Makes the values of a table out of another's, and may keep state. Java:
    ValueTransformerWithKey.
    """

    context: TransformerContext

    def init(self, context: TransformerContext) -> None:
        """Get ready; called once per task, before the first record."""
        self.context = context

    def transform(self, key: KIn_contra, value: VIn_contra | None) -> VOut | None:
        """Return the new value of a row; a value of None, of a row that is deleted, is passed
        too.
        """
        msg = f"{type(self).__name__} must override transform(key, value)"
        raise NotImplementedError(msg)

    def close(self) -> None:
        """Release what `init` took; called once per task."""


ProcessorSupplier: TypeAlias = Callable[[], Processor[KIn_contra, VIn_contra, KOut, VOut]]
FixedKeyProcessorSupplier: TypeAlias = Callable[[], FixedKeyProcessor[K, VIn_contra, VOut]]
ValueTransformerWithKeySupplier: TypeAlias = Callable[
    [], ValueTransformerWithKey[KIn_contra, VIn_contra, VOut]
]
