"""MockProcessorContext: try one processor alone; forwards, timers and commits are only noted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock._camel_case import ExplainsCamelCase
from penstock._durations import Duration
from penstock._engine.metrics.sensors import TaskSensors
from penstock._engine.runtime.context import check_schedule
from penstock.errors import ConfigError, StreamsError
from penstock.metrics import StreamsMetrics
from penstock.processor import PunctuationType, Punctuator
from penstock.record import FixedKeyRecord, RecordMetadata
from penstock.serdes import Serde, resolve
from penstock.settings import StreamsConfig
from penstock.settings.keys import dotted_key


@dataclass(frozen=True, slots=True)
class CapturedForward:
    """A record that was forwarded, and to which child (None: all).

    >>> context = MockProcessorContext()
    >>> context.forward(Record("ann", 5, 0), "large")
    >>> context.forwarded()[0].child
    'large'
    """

    record: FixedKeyRecord[Any, Any]
    child: str | None


@dataclass(slots=True)
class CapturedPunctuator:
    """A timer that was scheduled; call its `callback` yourself.

    >>> context = MockProcessorContext()
    >>> timer = context.schedule(minute, PunctuationType.STREAM_TIME, print)
    >>> timer.interval_ms
    60000
    >>> timer.callback(60_000)
    60000
    """

    interval_ms: int
    type: PunctuationType
    callback: Punctuator
    start_time: int | None
    cancelled: bool = False

    def cancel(self) -> None:
        """Note that it was cancelled.

        >>> timer = MockProcessorContext().schedule(minute, PunctuationType.STREAM_TIME, print)
        >>> timer.cancel()
        >>> timer.cancelled
        True
        """
        self.cancelled = True


class MockProcessorContext(ExplainsCamelCase):
    """A ProcessorContext for unit tests. Java: MockProcessorContext.

    >>> from penstock import Processor, Record
    >>> class Double(Processor):
    ...     def process(self, record):
    ...         self.context.forward(record.with_value(record.value * 2))
    >>> context, processor = MockProcessorContext(), Double()
    >>> processor.init(context)
    >>> processor.process(Record("k", 21, 0))
    >>> context.forwarded()
    [CapturedForward(record=Record('k', 42, 0), child=None)]
    """

    def __init__(
        self,
        config: Mapping[str, Any] | StreamsConfig | None = None,
        *,
        task_id: str = "0_0",
        state_dir: Path | str | None = None,
    ) -> None:
        self._config = _settings(config)
        self.application_id = str(self._config.get("application.id", ""))
        self.task_id = task_id
        self._state_dir = state_dir
        self.record_metadata = RecordMetadata(None, -1, -1)
        self.committed = False
        self._sensors = TaskSensors("TRACE", task_id=task_id)
        self._forwards: list[CapturedForward] = []
        self._punctuators: list[CapturedPunctuator] = []
        self._stores: dict[str, Any] = {}
        self._stream_time_ms: int | None = None
        self._system_time_ms: int | None = None

    @property
    def key_serde(self) -> Serde[Any]:
        """The serde of `default.key.serde`.

        >>> MockProcessorContext(SETTINGS).key_serde
        serdes.string()
        """
        return resolve(self._config.get("default.key.serde"))

    @property
    def value_serde(self) -> Serde[Any]:
        """The serde of `default.value.serde`.

        >>> MockProcessorContext(SETTINGS).value_serde
        serdes.json()
        """
        return resolve(self._config.get("default.value.serde"))

    @property
    def state_dir(self) -> Path:
        """The directory that was given.

        >>> MockProcessorContext(state_dir="files").state_dir.name
        'files'
        """
        if self._state_dir is None:
            msg = "MockProcessorContext has no state_dir; pass it: state_dir=tmp_path"
            raise StreamsError(msg)
        return Path(self._state_dir)

    @property
    def metrics(self) -> StreamsMetrics:
        """Takes sensors; what they record is not shown.

        >>> MockProcessorContext().metrics.add_sensor("basket-size").record(3)
        """
        return self._sensors.of_node("mock")

    @property
    def current_stream_time_ms(self) -> int:
        return _set_before_use(self._stream_time_ms, "set_current_stream_time_ms")

    @property
    def current_system_time_ms(self) -> int:
        return _set_before_use(self._system_time_ms, "set_current_system_time_ms")

    def set_current_stream_time_ms(self, milliseconds: int) -> None:
        """Say what stream time it is.

        >>> context = MockProcessorContext()
        >>> context.set_current_stream_time_ms(60_000)
        >>> context.current_stream_time_ms
        60000
        """
        self._stream_time_ms = milliseconds

    def set_current_system_time_ms(self, milliseconds: int) -> None:
        """Say what the wall clock shows.

        >>> context = MockProcessorContext()
        >>> context.set_current_system_time_ms(60_000)
        >>> context.current_system_time_ms
        60000
        """
        self._system_time_ms = milliseconds

    def set_record_metadata(self, topic: str, partition: int, offset: int) -> None:
        """Say where the record in hand was read.

        >>> context = MockProcessorContext()
        >>> context.set_record_metadata("orders", 0, 7)
        >>> context.record_metadata
        RecordMetadata(topic='orders', partition=0, offset=7)
        """
        self.record_metadata = RecordMetadata(topic, partition, offset)

    def forward(self, record: FixedKeyRecord[Any, Any], child: str | None = None) -> None:
        """Note a forward.

        >>> context = MockProcessorContext()
        >>> context.forward(Record("ann", 5, 0))
        >>> context.forwarded()[0].record
        Record('ann', 5, 0)
        """
        self._forwards.append(CapturedForward(record, child))

    def forwarded(self, child: str | None = None) -> list[CapturedForward]:
        """Return all forwards, or those that reach the child named.

        >>> context = MockProcessorContext()
        >>> context.forward(Record("ann", 5, 0), "large")
        >>> len(context.forwarded("large")), len(context.forwarded("small"))
        (1, 0)
        """
        return [
            forward for forward in self._forwards if child is None or forward.child in {None, child}
        ]

    def reset_forwards(self) -> None:
        """Forget the forwards so far.

        >>> context = MockProcessorContext()
        >>> context.forward(Record("ann", 5, 0))
        >>> context.reset_forwards()
        >>> context.forwarded()
        []
        """
        self._forwards.clear()

    def schedule(
        self,
        interval: Duration,
        type: PunctuationType,
        callback: Punctuator,
        *,
        start_time: int | None = None,
    ) -> CapturedPunctuator:
        """Note a timer.

        >>> context = MockProcessorContext()
        >>> timer = context.schedule(minute, PunctuationType.STREAM_TIME, print)
        >>> timer.interval_ms
        60000
        """
        interval_ms = check_schedule(interval, type, callback, start_time)
        punctuator = CapturedPunctuator(interval_ms, type, callback, start_time)
        self._punctuators.append(punctuator)
        return punctuator

    def scheduled_punctuators(self) -> list[CapturedPunctuator]:
        """Return all timers.

        >>> context = MockProcessorContext()
        >>> timer = context.schedule(minute, PunctuationType.STREAM_TIME, print)
        >>> [timer.interval_ms for timer in context.scheduled_punctuators()]
        [60000]
        """
        return list(self._punctuators)

    def commit(self) -> None:
        """Note a request to commit.

        >>> context = MockProcessorContext()
        >>> context.commit()
        >>> context.committed
        True
        """
        self.committed = True

    def reset_commit(self) -> None:
        """Forget the request to commit.

        >>> context = MockProcessorContext()
        >>> context.commit()
        >>> context.reset_commit()
        >>> context.committed
        False
        """
        self.committed = False

    def add_state_store(self, store: Any) -> None:
        """Add a store for the processor.

        >>> context = MockProcessorContext()
        >>> context.add_state_store(opened(Stores.key_value_store("spent", key=text, value=number)))
        >>> context.get_state_store("spent").put("ann", 5)
        """
        self._stores[store.name] = store

    def get_state_store(self, name: str) -> Any:
        """Return a store that was added.

        >>> context = MockProcessorContext()
        >>> context.add_state_store(opened(Stores.key_value_store("spent", key=text, value=number)))
        >>> context.get_state_store("spent").get("ann") is None
        True
        """
        return self._stores.get(name)

    def app_configs(self) -> Mapping[str, Any]:
        """Return the configuration.

        >>> MockProcessorContext({"application.id": "shop"}).app_configs()
        {'application.id': 'shop'}
        """
        return dict(self._config)

    def app_configs_with_prefix(self, prefix: str) -> Mapping[str, Any]:
        """Return the part of the configuration that starts with `prefix`, without it.

        >>> MockProcessorContext({"shop.currency": "EUR"}).app_configs_with_prefix("shop.")
        {'currency': 'EUR'}
        """
        return {
            key.removeprefix(prefix): value
            for key, value in self._config.items()
            if key.startswith(prefix)
        }


def _set_before_use(time: int | None, setter: str) -> int:
    if time is None:
        msg = f"MockProcessorContext does not know the time; call {setter} first"
        raise StreamsError(msg)
    return time


def _settings(config: Mapping[str, Any] | StreamsConfig | None) -> dict[str, Any]:
    """Return settings under their dotted keys; as in Java's mock, a key may be of any kind."""
    if isinstance(config, StreamsConfig):
        return dict(config.as_mapping())
    settings: dict[str, Any] = {}
    for key, value in (config or {}).items():
        try:
            settings[dotted_key(key)] = value
        except ConfigError:
            settings[key] = value
    return settings
