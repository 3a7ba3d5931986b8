"""StreamsConfig: the settings of an application, under Kafka's dotted keys or in snake_case.

Only settings that Penstock honours are known; anything else is an error that names the nearest
known key. Keys that start with `app.` are the user's own and reach the processors.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from penstock import serdes
from penstock.errors import ConfigError, StreamsError
from penstock.handlers import (
    DefaultProductionExceptionHandler,
    DeserializationExceptionHandler,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    LogAndFailExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
)
from penstock.serdes import Serde
from penstock.timestamps import (
    FailOnInvalidTimestamp,
    LogAndSkipOnInvalidTimestamp,
    TimestampExtractor,
    UsePartitionTimeOnInvalidTimestamp,
    WallclockTimestampExtractor,
)

USER_PREFIX = "app."


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its key in Kafka Streams, its default, how its value is read, and what it does."""

    key: str
    default: Any
    parse: Callable[[Any], Any]
    effect: str


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        msg = f"must be a str that is not empty; got {value!r}"
        raise ValueError(msg)
    return value


def _at_least(minimum: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        digits = isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value)
        number = int(value) if digits else value
        if not isinstance(number, int) or isinstance(number, bool) or number < minimum:
            msg = f"must be a whole number of at least {minimum}; got {value!r}"
            raise ValueError(msg)
        return number

    return parse


def _instance_of(what: str, method: str, *known: type) -> Callable[[Any], Any]:
    """Read an object that has `method`, its class, or the (Java) name of a class that Penstock
    has.
    """
    names = {kind.__name__: kind for kind in known}

    def parse(value: Any) -> Any:
        if isinstance(value, str):
            simple = value.rpartition(".")[2]
            if simple not in names:
                msg = f"must be {what} or the name of one of {', '.join(names)}; got {value!r}"
                raise ValueError(msg)
            value = names[simple]
        made = value() if isinstance(value, type) else value
        of_another_kind = _is_built_in(made) and not isinstance(made, known)
        if of_another_kind or not callable(getattr(made, method, None)):
            msg = f"must be {what}, with a method {method}, or its class; got {value!r}"
            raise ValueError(msg)
        return made

    return parse


def _is_built_in(handler: object) -> bool:
    return type(handler).__module__ == "penstock.handlers"


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "application.id",
        None,
        _text,
        "names the application: its group, its internal topics, its state",
    ),
    Setting(
        "default.key.serde",
        None,
        serdes.resolve,
        "reads and writes keys where a verb says nothing else",
    ),
    Setting(
        "default.value.serde",
        None,
        serdes.resolve,
        "reads and writes values where a verb says nothing else",
    ),
    Setting(
        "default.timestamp.extractor",
        FailOnInvalidTimestamp(),
        _instance_of(
            "a timestamp extractor",
            "__call__",
            FailOnInvalidTimestamp,
            LogAndSkipOnInvalidTimestamp,
            UsePartitionTimeOnInvalidTimestamp,
            WallclockTimestampExtractor,
        ),
        "gives a record its time where its source says nothing else",
    ),
    Setting(
        "deserialization.exception.handler",
        LogAndFailExceptionHandler,
        _instance_of(
            "a deserialization exception handler",
            "handle_error",
            LogAndFailExceptionHandler,
            LogAndContinueExceptionHandler,
        ),
        "decides about records that cannot be read",
    ),
    Setting(
        "processing.exception.handler",
        LogAndFailProcessingExceptionHandler,
        _instance_of(
            "a processing exception handler",
            "handle_error",
            LogAndFailProcessingExceptionHandler,
            LogAndContinueProcessingExceptionHandler,
        ),
        "decides about records on which a node raises",
    ),
    Setting(
        "production.exception.handler",
        DefaultProductionExceptionHandler,
        _instance_of(
            "a production exception handler", "handle_error", DefaultProductionExceptionHandler
        ),
        "decides about records that cannot be written",
    ),
    Setting(
        "errors.dead.letter.queue.topic.name",
        None,
        _text,
        "takes the records that failed, from the built-in handlers",
    ),
    Setting(
        "max.task.idle.ms",
        0,
        _at_least(-1),
        "how long a task waits for partitions that are empty; -1: not at all",
    ),
)

_BY_KEY = {setting.key: setting for setting in SETTINGS}


class StreamsConfig:
    """The settings of one application, checked. Java: StreamsConfig.

    >>> StreamsConfig({"application.id": "fraud", "max.task.idle.ms": "100"}).max_task_idle_ms
    100
    """

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values: dict[str, Any] = {}
        self._user: dict[str, Any] = {}
        for key, value in (values or {}).items():
            self._take(key, value)
        for setting in SETTINGS:
            default = setting.default() if isinstance(setting.default, type) else setting.default
            self._values.setdefault(setting.key, default)
        if self._values["application.id"] is None:
            msg = "setting 'application.id' must be given; it names the application"
            raise ConfigError(msg)

    @property
    def application_id(self) -> str:
        return cast(str, self._values["application.id"])

    @property
    def max_task_idle_ms(self) -> int:
        return cast(int, self._values["max.task.idle.ms"])

    @property
    def default_timestamp_extractor(self) -> TimestampExtractor:
        return cast(TimestampExtractor, self._values["default.timestamp.extractor"])

    def handlers(
        self,
    ) -> tuple[
        DeserializationExceptionHandler, ProcessingExceptionHandler, ProductionExceptionHandler
    ]:
        """Give the three handlers, each told the settings."""
        handlers = tuple(
            self._values[f"{kind}.exception.handler"]
            for kind in ("deserialization", "processing", "production")
        )
        for handler in handlers:
            configure = getattr(handler, "configure", None)
            if configure is not None:
                configure(self.as_mapping())
        return cast(
            tuple[
                DeserializationExceptionHandler,
                ProcessingExceptionHandler,
                ProductionExceptionHandler,
            ],
            handlers,
        )

    def keeps_raw_bytes(self) -> bool:
        """Tell whether anybody may look at the raw bytes of a record that failed."""
        built_in = all(map(_is_built_in, self.handlers()))
        return not built_in or self._values["errors.dead.letter.queue.topic.name"] is not None

    def required_key_serde(self, node: str) -> Serde[Any]:
        """Give the default key serde for a node that has none of its own; `node` is its title."""
        return self._required_serde("key", node)

    def required_value_serde(self, node: str) -> Serde[Any]:
        """Give the default value serde for a node that has none of its own; `node` is its title."""
        return self._required_serde("value", node)

    def as_mapping(self) -> dict[str, Any]:
        """Give all settings under their dotted keys, the user's own included."""
        return {**self._values, **self._user}

    def _required_serde(self, part: str, node: str) -> Serde[Any]:
        serde = self._values[f"default.{part}.serde"]
        if serde is None:
            msg = (
                f"{node} has no {part} serde; pass one (Consumed({part}=...), "
                f"Produced({part}=...), Repartitioned({part}=...)) or set 'default.{part}.serde'"
            )
            raise ConfigError(msg)
        return cast(Serde[Any], serde)

    def _take(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            msg = f"a setting's key must be a str; got {key!r}"
            raise ConfigError(msg)
        if key.startswith(USER_PREFIX):
            self._user[key] = value
            return
        dotted = key.replace("_", ".")
        setting = _BY_KEY.get(dotted)
        if setting is None:
            near = difflib.get_close_matches(dotted, _BY_KEY, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            msg = (
                f"setting {key!r} is not known{hint} (settings of your own start with "
                f"{USER_PREFIX!r})"
            )
            raise ConfigError(msg)
        try:
            self._values[dotted] = setting.parse(value)
        except (ValueError, TypeError, StreamsError) as error:
            msg = f"setting {key!r}{' ' if str(error).startswith('must ') else ': '}{error}"
            raise ConfigError(msg) from error
