"""The options of `format("penstock")` for writing: what they mean, and which are refused.

Options are text that every Python process of the job and Spark's plans show. So a secret is refused
as an option; a file of settings may hold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock._engine.spark.dataframes.options import config_for, settings_of
from penstock._engine.spark.dataframes.request import check_topic_name
from penstock.errors import ConfigError
from penstock.serdes import Serde
from penstock.serdes.names import resolve
from penstock.settings import StreamsConfig

_GROUP = "penstock-sink"
_AGAIN = {"refuse": False, "again": True}


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """What to write where; travels to the executors."""

    topic: str | None
    """None if a column says it."""
    config: StreamsConfig
    key: Serde[Any] | None = None
    value: Serde[Any] | None = None
    again: bool = False
    """Write a half written batch again, though it is cut in another way."""

    def __post_init__(self) -> None:
        if self.topic is not None:
            check_topic_name(self.topic)
        for name, serde in (("key", self.key), ("value", self.value)):
            if serde is not None and not isinstance(serde, Serde):
                msg = f"{name} must be a serde, such as serdes.string(); got {serde!r}"
                raise ConfigError(msg)


def options_of(given: Mapping[str, str]) -> SinkOptions:
    """Return what options say.

    Raises:
        ConfigError: one is wrong or a secret.
    """
    options = {name.lower(): value for name, value in given.items()}
    types = {
        part: None if options.get(f"{part}type") is None else resolve(options[f"{part}type"])
        for part in ("key", "value")
    }
    return SinkOptions(
        options.get("topic") or None,
        settings_for(settings_of(options, "write")),
        types["key"],
        types["value"],
        parse_after_partial_write(
            options.get("afterpartialwrite", "refuse"), "option 'afterPartialWrite'"
        ),
    )


def parse_after_partial_write(text: str, name: str) -> bool:
    """Read what to do with a half written batch that is cut in another way.

    Raises:
        ConfigError: it is something else.
    """
    if text not in _AGAIN:
        msg = f"{name} must be 'refuse' or 'again'; got {text!r}"
        raise ConfigError(msg)
    return _AGAIN[text]


def settings_for(config: StreamsConfig | Mapping[str, Any] | None) -> StreamsConfig:
    """Return the settings of a sink: those given, and where they name no cluster
    those of the environment.

    Raises:
        ConfigError: they are wrong, or do not say where the cluster is.
    """
    made = config_for(config, _GROUP)
    made.check_for_cluster()
    return made
