"""The options of `format("penstock")` for writing: what they mean, and which are refused.

Options are text that every Python process of the job and Spark's plans show. So a secret is refused
as an option; a file of settings may hold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.errors import ConfigError
from penstock.serdes import Serde
from penstock.serdes.names import resolve
from penstock.settings import StreamsConfig
from penstock.settings.config import given_settings
from penstock.settings.secrets import is_secret, shown
from penstock.settings.sources import read_file

_OWN = {"topic", "keytype", "valuetype", "settings", "afterpartialwrite"}
# Those of Spark's own writers, which it hands over with the others.
_OF_SPARK = {"path", "checkpointlocation", "queryname"}
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
        settings_for(_settings(options)),
        types["key"],
        types["value"],
        is_again(options.get("afterpartialwrite", "refuse"), "option 'afterPartialWrite'"),
    )


def is_again(text: str, name: str) -> bool:
    """Read what to do with a half written batch that is cut in another way.

    Raises:
        ConfigError: it is something else.
    """
    if text not in _AGAIN:
        msg = f"{name} must be 'refuse' or 'again'; got {text!r}"
        raise ConfigError(msg)
    return _AGAIN[text]


def settings_for(config: StreamsConfig | Mapping[str, Any] | None) -> StreamsConfig:
    """Return the settings of a sink: those given, else those of the environment.

    Raises:
        ConfigError: they are wrong, or do not say where the cluster is.
    """
    named = {"application.id": "penstock-sink"}
    if config is None:
        made = StreamsConfig.from_environment(named)
    else:
        made = StreamsConfig({**named, **given_settings(config)})
    made.check_for_cluster()
    return made


def _settings(options: Mapping[str, str]) -> dict[str, Any] | None:
    others = {name: one for name, one in options.items() if name not in _OWN | _OF_SPARK}
    for name, value in others.items():
        if is_secret(name) or shown(name, value) != value:
            msg = (
                f"option {name!r} holds a secret, and options are readable in every Python process "
                "and in Spark's plans: put it into a file and say option('settings', "
                "'client.properties'), or use penstock.spark.write_stream(..., config)"
            )
            raise ConfigError(msg)
    file = options.get("settings")
    if file is None:
        return others or None
    return {**read_file(file), **others}
