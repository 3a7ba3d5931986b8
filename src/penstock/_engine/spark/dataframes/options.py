"""The options of `format("penstock")`, which are texts, as a request and settings.

Options reach every Python process of a job and Spark's plans in clear. So a secret among them is
refused: credentials come from a file (`settings`) or from an argument of a function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from penstock._engine.kafka.client.topic_offsets import TopicChoice
from penstock._engine.spark.dataframes.option_table import Use, check_use, own_options
from penstock._engine.spark.dataframes.request import Edge, ReadRequest
from penstock.errors import ConfigError
from penstock.serdes.names import resolve
from penstock.settings import StreamsConfig
from penstock.settings.config import given_settings
from penstock.settings.secrets import is_secret, shown
from penstock.settings.sources import read_file

T = TypeVar("T")

_KAFKA_PREFIX = "kafka."
_GROUP = "penstock-dataframes"
_TRUTHS = {"true": True, "false": False}


def request_of(options: Mapping[str, str]) -> ReadRequest:
    """Return the read that options describe.

    Raises:
        ConfigError: an option is missing or wrong.
    """
    check_use(options, "read", "readStream")
    given = {name.lower(): value for name, value in options.items()}
    return ReadRequest(
        _choice(given),
        starting=_edge(given, "starting"),
        ending=_edge(given, "ending"),
        key=_read(given, "keyType", resolve),
        value=_read(given, "valueType", resolve),
        headers=bool(_read(given, "includeHeaders", _truth)),
        table=bool(_read(given, "table", _truth)),
        fail_on_data_loss=_read(given, "failOnDataLoss", _truth) is not False,
        max_offsets_per_trigger=_read(given, "maxOffsetsPerTrigger", _number),
        max_records_per_partition=_read(given, "maxRecordsPerPartition", _number),
    )


def config_of(options: Mapping[str, str]) -> StreamsConfig:
    """Return the settings among the options of a read, and those of the file that option `settings`
    names. Without servers, those of the environment count.

    Raises:
        ConfigError: an option is not known, or holds a secret.
    """
    return config_for(settings_of(options, "read", "readStream"))


def config_for(
    config: StreamsConfig | Mapping[str, Any] | None, group: str = _GROUP
) -> StreamsConfig:
    """Return the settings of a reader or writer, which is no application of its own. Without
    servers, those of the environment count.

    Raises:
        ConfigError: they are wrong.
    """
    given = given_settings(config)
    if not given.keys() & {"application.id", "application_id"}:
        given["application.id"] = group
    if given.keys() & {"bootstrap.servers", "bootstrap_servers"}:
        return StreamsConfig(given)
    return StreamsConfig.from_environment(given)


def settings_of(options: Mapping[str, str], *uses: Use) -> dict[str, Any] | None:
    """Return the settings among the options of a use, or of some, and in the file they name, None
    if there are none.

    Raises:
        ConfigError: an option is of another use, or holds a secret, or the file cannot be read.
    """
    check_use(options, *uses)
    own = own_options(*uses)
    given = {name.lower(): value for name, value in options.items()}
    others = {
        name.removeprefix(_KAFKA_PREFIX): value for name, value in given.items() if name not in own
    }
    for name, value in others.items():
        if is_secret(name) or shown(name, value) != value:
            msg = (
                f"option {name!r} holds a secret, and options are readable in every Python process "
                "and in Spark's plans: put it into a file and say option('settings', "
                "'client.properties'), or pass the settings to a function of penstock.spark"
            )
            raise ConfigError(msg)
    file = given.get("settings")
    if file is None:
        return others or None
    return {**read_file(file), **others}


def _choice(given: Mapping[str, str]) -> TopicChoice:
    asked = [name for name in ("topic", "subscribe", "subscribepattern") if given.get(name)]
    if len(asked) != 1:
        msg = (
            "format('penstock') needs one of option('topic', ...), which may be several with "
            f"commas between, and option('subscribePattern', ...); got {', '.join(asked) or 'none'}"
        )
        raise ConfigError(msg)
    text = given[asked[0]]
    if asked == ["subscribepattern"]:
        return TopicChoice(pattern=text)
    return TopicChoice(tuple(dict.fromkeys(name.strip() for name in text.split(","))))


def _edge(given: Mapping[str, str], which: str) -> Edge:
    moment = _read(given, f"{which}Timestamp", _milliseconds)
    offsets = _read(given, f"{which}Offsets", _offsets)
    if moment is not None and offsets is not None:
        msg = f"options '{which}Offsets' and '{which}Timestamp' must not be given together"
        raise ConfigError(msg)
    return offsets if moment is None else moment


def _read(given: Mapping[str, str], name: str, parse: Callable[[str], T]) -> T | None:
    text = given.get(name.lower())
    if text is None:
        return None
    try:
        return parse(text.strip())
    except (ValueError, KeyError) as error:
        said = str(error) if isinstance(error, ValueError) else "must be true or false"
        msg = f"option {name!r} {said}; got {text!r}"
        raise ConfigError(msg) from error


def _truth(text: str) -> bool:
    return _TRUTHS[text.lower()]


def _number(text: str) -> int:
    if not text.isdigit() or not int(text):
        msg = "must be a whole number from 1 on"
        raise ValueError(msg)
    return int(text)


def _milliseconds(text: str) -> int:
    if not text.isdigit():
        msg = "must be milliseconds since the epoch"
        raise ValueError(msg)
    return int(text)


def _offsets(text: str) -> Edge:
    if text.lower() in {"earliest", "latest"}:
        return "earliest" if text.lower() == "earliest" else "latest"
    try:
        return {
            topic: {int(number): int(offset) for number, offset in numbers.items()}
            for topic, numbers in json.loads(text).items()
        }
    except (ValueError, AttributeError, TypeError) as error:
        msg = 'must be earliest, latest, or offsets such as {"orders":{"0":120,"1":-2}}'
        raise ValueError(msg) from error
