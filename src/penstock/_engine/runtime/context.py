"""The ProcessorContext that a task hands to one node of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from threading import current_thread, get_ident
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._durations import Duration, to_milliseconds
from penstock._engine.metrics.sensors import TaskSensors
from penstock._engine.operators.site import Process
from penstock._engine.runtime.commit import Notes
from penstock._engine.runtime.idleness import Idleness
from penstock._engine.runtime.node_meter import NodeMeter
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.topology.deferred_calls import refuse_deferred_timer
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, UserProcessor
from penstock.errors import ConfigError, StreamsError
from penstock.metrics import StreamsMetrics
from penstock.processor import Cancellable, PunctuationType, Punctuator
from penstock.record import (
    NO_KEY,
    FixedKeyRecord,
    Record,
    RecordMetadata,
    check_sendable,
    given_key_of,
)
from penstock.serdes import Serde

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T", bound="TaskServices")

_FAR_AHEAD = 1 << 62

_WRITES = frozenset({"delete", "put", "put_all", "put_if_absent", "remove"})


class TaskServices(Protocol):
    """What a context asks of its task."""

    application_id: str
    task_id: str
    position: Position
    started: bool
    running_thread: int | None
    """The thread that processes records and timers, None before the first and in `close`. Between
    two records it may answer queries, for which a cache may have to forward rows.
    """
    configs: Mapping[str, Any]
    directory: Path | None
    sensors: TaskSensors
    node_meter: NodeMeter | None

    def schedule(
        self,
        node: ProcessorNode,
        interval_ms: int,
        type: PunctuationType,
        callback: Punctuator,
        start_ms: int | None,
    ) -> Cancellable: ...

    notes: Notes
    idleness: Idleness

    def request_commit(self) -> None: ...
    def store(self, name: str) -> Any: ...
    def state(self, name: str, kind: type[S]) -> S: ...
    def global_store(self, name: str) -> TaskStore | None: ...
    def shared(self, name: str, make: Callable[[], S]) -> S: ...


def forwards(method: Callable[Concatenate[T, P], S]) -> Callable[Concatenate[T, P], S]:
    """Return `method` of a task, in which processors may forward records."""

    @wraps(method)
    def run(task: T, /, *arguments: P.args, **options: P.kwargs) -> S:
        task.running_thread = get_ident()
        return method(task, *arguments, **options)

    return run


def check_schedule(
    interval: Duration, type: object, callback: Punctuator, start_time: int | None
) -> int:
    """Refuse the arguments of a timer that cannot be; return its interval in milliseconds."""
    interval_ms = to_milliseconds(interval, "a schedule's interval")
    if interval_ms < 1:
        msg = f"a schedule's interval must be at least 1 ms; got {interval!r}"
        raise ValueError(msg)
    if not isinstance(type, PunctuationType):
        msg = f"a schedule's type must be a PunctuationType; got {type!r}"
        raise TypeError(msg)
    if not callable(callback):
        msg = f"a schedule's callback must be a function (timestamp); got {callback!r}"
        raise TypeError(msg)
    refuse_deferred_timer(callback)
    if start_time is not None and start_time < 0:
        msg = f"a schedule's start_time must not be before the epoch; got {start_time}"
        raise ValueError(msg)
    return interval_ms


class NodeContext(ExplainsCamelCase):
    """The ProcessorContext of one node."""

    _spoken_name = "ProcessorContext"

    def __init__(
        self,
        task: TaskServices,
        node: ProcessorNode,
        stores: tuple[str, ...],
        forward: Process,
        children: dict[str, Process],
    ) -> None:
        self._task = task
        self._node = node
        self._stores = stores
        self._forward = forward
        self._children = children
        self.key_in_hand: Any = NO_KEY
        """The key of the record that a processor which keeps keys has in hand."""
        keeps_key = isinstance(node.operation, UserProcessor) and node.operation.fixed_key
        self._record_type: type[FixedKeyRecord[Any, Any]] = FixedKeyRecord if keeps_key else Record

    @property
    def application_id(self) -> str:
        return self._task.application_id

    @property
    def task_id(self) -> str:
        return self._task.task_id

    @property
    def key_serde(self) -> Serde[Any]:
        return self._default_serde("key")

    @property
    def value_serde(self) -> Serde[Any]:
        return self._default_serde("value")

    @property
    def state_dir(self) -> Path:
        directory = self._task.directory
        if directory is None:
            msg = (
                f"processor {self._node.name!r} has no state_dir here: a bounded run keeps no "
                "files between its tasks; use tempfile"
            )
            raise StreamsError(msg)
        directory.mkdir(parents=True, exist_ok=True)
        return directory

    @property
    def metrics(self) -> StreamsMetrics:
        return self._task.sensors.of_node(self._node.name)

    @property
    def record_metadata(self) -> RecordMetadata:
        return self._task.position.metadata()

    @property
    def current_stream_time_ms(self) -> int:
        return self._task.position.stream_time_ms

    @property
    def current_system_time_ms(self) -> int:
        return self._task.position.wall_clock_ms

    def forward(self, record: FixedKeyRecord[Any, Any], child: str | None = None) -> None:
        if type(record) is not self._record_type:
            msg = (
                f"processor {self._node.name!r} must forward a {self._record_type.__name__}; got "
                f"{record!r}"
            )
            raise StreamsError(msg)
        key, in_hand = record.key, self.key_in_hand
        if key is not in_hand and in_hand is not NO_KEY:
            self._refuse_other_key(record)
        target = self._forward if child is None else self._child(child)
        if self._task.running_thread != get_ident():
            raise StreamsError(self._why_not_now())
        position = self._task.position
        timestamp, headers = position.timestamp, position.headers
        own_time, own_headers = record.timestamp, tuple(record.headers)
        if own_headers or type(own_time) is not int or own_time >= _FAR_AHEAD:
            check_sendable(own_time, own_headers)
        try:
            target(key, record.value, own_time, own_headers)
        finally:  # as in Java: the processor may go on after a child that failed
            position.timestamp, position.headers = timestamp, headers

    def schedule(
        self,
        interval: Duration,
        type: PunctuationType,
        callback: Punctuator,
        *,
        start_time: int | None = None,
    ) -> Cancellable:
        interval_ms = check_schedule(interval, type, callback, start_time)
        return self._task.schedule(self._node, interval_ms, type, callback, start_time)

    def commit(self) -> None:
        self._task.request_commit()

    def get_state_store(self, name: str) -> Any:
        of_all = self._task.global_store(name)
        if of_all is not None:
            return ReadOnlyStore(of_all.face)
        if name not in self._stores:
            connected = ", ".join(map(repr, self._stores)) or "none"
            msg = (
                f"state store {name!r} is not connected to processor {self._node.name!r}; "
                f"connected stores: {connected}; "
                f"pass it to process(..., state_stores=[{name!r}]) or "
                "connect_processor_and_state_stores"
            )
            raise StreamsError(msg)
        return self._task.store(name)

    def app_configs(self) -> Mapping[str, Any]:
        return dict(self._task.configs)

    def app_configs_with_prefix(self, prefix: str) -> Mapping[str, Any]:
        return {
            key.removeprefix(prefix): value
            for key, value in self._task.configs.items()
            if key.startswith(prefix)
        }

    def _refuse_other_key(self, record: FixedKeyRecord[Any, Any]) -> None:
        """Refuse a record that was neither given by the task, now or before, nor has an equal key.
        Java: FixedKeyRecord has no public constructor.
        """
        key, in_hand = record.key, self.key_in_hand
        # Equal is not enough: 1, 1.0 and True have different bytes, and other partitions.
        is_same = type(key) is type(in_hand) and key == in_hand
        if key is not given_key_of(record) and not is_same:
            msg = (
                f"processor {self._node.name!r} must keep the key of its records, as no "
                f"repartitioning follows; got a record with key {key!r} for one with "
                f"{in_hand!r}; forward the record that was given, or a copy of it "
                "(record.with_value), even later; or forward from a timer; or use process, which "
                "may change keys, instead of process_values"
            )
            raise StreamsError(msg)

    def _default_serde(self, part: str) -> Serde[Any]:
        serde: Serde[Any] | None = self._task.configs[f"default.{part}.serde"]
        if serde is None:
            msg = (
                f"processor {self._node.name!r} asks for the default {part} serde, of which there "
                f"is none; set 'default.{part}.serde'"
            )
            raise ConfigError(msg)
        return serde

    def _why_not_now(self) -> str:
        """Return why a record must not be forwarded: it would not be part of a commit."""
        if not self._task.started:
            return f"processor {self._node.name!r} must not forward in init; there is no record yet"
        if self._task.running_thread is None:
            return (
                f"processor {self._node.name!r} must forward in process or in a timer; what it "
                "forwards in close is in no commit and would be lost"
            )
        return (
            f"processor {self._node.name!r} must forward in the thread that calls its process; "
            f"got a forward in thread {current_thread().name!r}; keep what other threads make, and "
            "forward it in process or in a timer (schedule)"
        )

    def _child(self, name: str) -> Process:
        if name not in self._children:
            known = ", ".join(map(repr, self._children)) or "none"
            msg = f"processor {self._node.name!r} has no child {name!r}; its children: {known}"
            raise StreamsError(msg)
        return self._children[name]


class ReadOnlyStore:
    """A global store as other processors see it: they may read it, not write it. Java:
    ReadOnlyFacade and AbstractReadOnlyDecorator.
    """

    __slots__ = ("_store",)

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        if name in _WRITES:
            msg = (
                f"global store {self._store.name!r} must not be written here: {name} is for the "
                "processor that feeds it; write to its topic instead"
            )
            raise StreamsError(msg)
        return getattr(self._store, name)
