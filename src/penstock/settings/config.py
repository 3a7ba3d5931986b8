"""StreamsConfig: the settings of an application, under Kafka's dotted keys or in snake_case. What
each has for a value, by name and type, is in `values`.

Only settings that Penstock honours are known; anything else is an error that names the nearest
known key. Keys with a client's prefix (`consumer.`, `producer.` ...) and bare keys of Kafka's
clients reach those clients, keys that start with `topic.` the internal topics, and keys that start
with `app.` are the user's own and reach the processors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

from penstock.errors import ConfigError, StreamsError
from penstock.handlers import (
    DeserializationExceptionHandler,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
)
from penstock.serdes import Serde, session_windowed, time_windowed
from penstock.serdes.wrapping import completed
from penstock.settings import parsing
from penstock.settings.client_keys import CLIENT_KEYS, PREFIXES, TOPIC_PREFIX, Client
from penstock.settings.keys import (
    USER_PREFIX,
    dotted_key,
    dotted_keys,
    given_twice,
    without_prefix,
)
from penstock.settings.secrets import shown, without_secrets
from penstock.settings.sources import (
    CLUSTER_VARIABLE,
    VARIABLE_PREFIX,
    read_environment,
    read_file,
)
from penstock.settings.table import BY_KEY, SETTINGS
from penstock.settings.values import SettingValues

OWN_PREFIX = "penstock."

_COMMIT_INTERVAL_MS = 30_000
_COMMIT_INTERVAL_EXACTLY_ONCE_MS = 100
_MAX_POLL_RECORDS = 1000


class StreamsConfig(SettingValues):
    """The settings of one application, checked. Java: StreamsConfig.

    >>> StreamsConfig({"application.id": "fraud", "max.task.idle.ms": "100"}).max_task_idle_ms
    100
    >>> StreamsConfig({"application_id": "fraud", "processing_guarantee": "exactly_once_v2"})
    StreamsConfig({'application.id': 'fraud', 'processing.guarantee': 'exactly_once_v2'})

    Raises:
        ConfigError: a key is not known, or a value is not one it can have.
    """

    def __init__(self, values: Mapping[str, Any] | StreamsConfig | None = None) -> None:
        self.has_cluster_of_environment: bool = (
            isinstance(values, StreamsConfig) and values.has_cluster_of_environment
        )
        """Whether a variable of the environment names the cluster."""
        self._given: dict[str, Any] = {}
        for key, value in given_settings(values).items():
            self._take(key, value)
        self._values = {
            setting.key: self._given[setting.key]
            if setting.key in self._given
            else _fresh(setting.default)
            for setting in SETTINGS
        }
        if self._values["commit.interval.ms"] is None:
            self._values["commit.interval.ms"] = (
                _COMMIT_INTERVAL_EXACTLY_ONCE_MS if self.exactly_once else _COMMIT_INTERVAL_MS
            )
        if self._values["application.id"] is None:
            msg = "setting 'application.id' must be given; it names the application"
            raise ConfigError(msg)
        for key in ("default.key.serde", "default.value.serde"):
            self._values[key] = self._with_windows(key, self._values[key])
        # What the engine takes from the consumers' settings must be right before anything starts.
        _ = self.auto_offset_reset, self.max_poll_records

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read the settings of a TOML or Java properties file.

        Raises:
            ConfigError: the file cannot be read, or a setting in it is wrong.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "shop.properties").write_text("application.id=shop")
        ...     StreamsConfig.from_file(Path(folder, "shop.properties")).application_id
        'shop'
        """
        try:
            return cls(read_file(path))
        except ConfigError as error:
            if str(path) in str(error):
                raise
            msg = f"settings file {str(path)!r}: {error}"
            raise ConfigError(msg) from error

    @classmethod
    def from_environment(
        cls,
        base: Mapping[str, Any] | StreamsConfig | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """Read variables such as `PENSTOCK_COMMIT_INTERVAL_MS`; they go before `base`.

        >>> StreamsConfig.from_environment({"application.id": "fraud"}, {"PENSTOCK_POLL_MS": "5"})
        StreamsConfig({'application.id': 'fraud', 'poll.ms': 5})
        """
        given = base.given() if isinstance(base, StreamsConfig) else cls._spelled(base or {})
        variables = read_environment(os.environ if environment is None else environment)
        for name, value in variables.items():
            own = OWN_PREFIX + name.replace("_", ".")
            try:
                given[own if own in BY_KEY else dotted_key(name)] = value
            except ConfigError as error:
                msg = f"environment variable {VARIABLE_PREFIX}{name.upper()}: {error}"
                raise ConfigError(msg) from error
        config = cls(given)
        config.has_cluster_of_environment = "bootstrap_servers" in variables
        return config

    @property
    def auto_offset_reset(self) -> str:
        """Where a source begins that has no committed offset and says nothing itself: `earliest`
        as in Java, or `consumer.auto.offset.reset`.
        """
        return cast(
            str,
            self._of_consumer(
                "auto.offset.reset", "earliest", parsing.one_of("earliest", "latest", "none")
            ),
        )

    @cached_property
    def max_poll_records(self) -> int:
        """How many records one read returns at most: `consumer.max.poll.records`."""
        return cast(
            int, self._of_consumer("max.poll.records", _MAX_POLL_RECORDS, parsing.at_least(1))
        )

    def check_for_cluster(self) -> None:
        """Refuse what the test driver can do without and a cluster cannot.

        Raises:
            ConfigError: `bootstrap.servers` is missing.
        """
        _ = self.bootstrap_servers

    def check_optimizations(self, built_with: frozenset[str] | None) -> None:
        """Refuse rewrites that were not asked for when the topology was built: now is too late.

        `built_with` is None for a topology that was put together by hand: it has none to do.

        Raises:
            ConfigError: an optimization is asked for here that the builder was not built with.
        """
        missed = self.topology_optimizations - (built_with or frozenset())
        if built_with is not None and missed:
            asked = self._values["topology.optimization"]
            msg = (
                f"setting 'topology.optimization' is {asked!r}, but the topology was built without "
                f"{', '.join(sorted(missed))}; pass the settings to the builder too: "
                "builder.build(settings)"
            )
            raise ConfigError(msg)

    def client_settings(self, *prefixes: str) -> dict[str, Any]:
        """Return the user's settings of a client: bare keys it knows, then those of each prefix."""
        client: Client = PREFIXES[prefixes[0]]
        bare = {
            key: value
            for key, value in self._given.items()
            if key not in BY_KEY and key in CLIENT_KEYS[client]
        }
        for prefix in prefixes:
            bare.update(self._with_prefix(prefix))
        return bare

    def topic_settings(self) -> dict[str, str]:
        """Return the user's settings of all internal topics: the keys after `topic.`."""
        return {key: str(value) for key, value in self._with_prefix(TOPIC_PREFIX).items()}

    def handlers(
        self,
    ) -> tuple[
        DeserializationExceptionHandler, ProcessingExceptionHandler, ProductionExceptionHandler
    ]:
        """Return the three handlers, each configured with the settings."""
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
        """Yes if a handler may look at the raw bytes of a record that failed."""
        built_in = all(map(parsing.is_built_in, self.handlers()))
        return not built_in or self._values["errors.dead.letter.queue.topic.name"] is not None

    def required_key_serde(self, node: str) -> Serde[Any]:
        """Return the default key serde for a node without one of its own; `node` is its title."""
        return self._required_serde("key", node)

    def required_value_serde(self, node: str) -> Serde[Any]:
        """Return the default value serde for a node without one of its own; `node` is its title."""
        return self._required_serde("value", node)

    def key_serde(self, own: Serde[Any] | None, node: str) -> Serde[Any]:
        """Return the key serde of a node, its own or the default one, ready for use."""
        serde = self.required_key_serde(node) if own is None else own
        return self._completed(serde, node)

    def value_serde(self, own: Serde[Any] | None, node: str) -> Serde[Any]:
        """Return the value serde of a node, its own or the default one, ready for use."""
        serde = self.required_value_serde(node) if own is None else own
        return self._completed(serde, node)

    def given(self) -> dict[str, Any]:
        """Return the settings that were set, under their dotted keys, secrets included.

        >>> StreamsConfig({"application.id": "shop", "commit.interval.ms": 500}).given()
        {'application.id': 'shop', 'commit.interval.ms': 500}
        """
        return dict(self._given)

    def as_mapping(self) -> dict[str, Any]:
        """Return all settings under their dotted keys, the user's own and secrets included.

        >>> StreamsConfig({"application.id": "shop"}).as_mapping()["commit.interval.ms"]
        30000
        """
        return {**self._given, **self._values}

    def describe(self) -> str:
        """Return all settings as text, one a line, without the secrets.

        >>> print(StreamsConfig({"application.id": "fraud", "sasl.password": "x"}).describe())
        application.id = fraud
        ...
        sasl.password = <hidden>
        """
        return "\n".join(
            f"{key} = {shown(key, value)}{'' if key in self._given else '  (default)'}"
            for key, value in {**self._values, **self._given}.items()
        )

    def without_secrets(self, text: str) -> str:
        """Return a text, such as a client's error, with the secrets among the settings hidden."""
        return without_secrets(text, self._given)

    def __repr__(self) -> str:
        items = (
            f"{key!r}: {value!r}"
            if shown(key, value) in {value, repr(value)}
            else f"{key!r}: {shown(key, value)!r}"
            for key, value in self._given.items()
        )
        return f"StreamsConfig({{{', '.join(items)}}})"

    def _completed(self, serde: Serde[Any], node: str) -> Serde[Any]:
        return completed(
            serde, lambda: self.required_key_serde(node), lambda: self.required_value_serde(node)
        )

    def _with_windows(self, key: str, serde: Any) -> Any:
        """Return a default serde; one of windowed keys is made of other settings. Java:
        WindowedSerdes, configured.
        """
        if not isinstance(serde, str):
            return serde
        needed = ["windowed.inner.class.serde", "window.size.ms"]
        parts = [self._values[part] for part in needed[: 2 if serde == "time_windowed" else 1]]
        for part, value in zip(needed, parts, strict=False):
            if value is None:
                msg = f"setting {key!r} is {serde!r}, which needs the setting {part!r} too"
                raise ConfigError(msg)
        return time_windowed(*parts) if serde == "time_windowed" else session_windowed(*parts)

    def _required_serde(self, part: str, node: str) -> Serde[Any]:
        serde = self._values[f"default.{part}.serde"]
        if serde is None:
            options = " or ".join(f"{option}({part}=...)" for option in _options_of(node))
            msg = f"{node} has no {part} serde; pass {options}, or set 'default.{part}.serde'"
            raise ConfigError(msg)
        return cast(Serde[Any], serde)

    def _of_consumer(self, key: str, default: Any, parse: Callable[[Any], Any]) -> Any:
        value = self.client_settings("consumer.", "main.consumer.").get(key, default)
        spellings = (f"main.consumer.{key}", f"consumer.{key}", key)
        given = next((spelling for spelling in spellings if spelling in self._given), key)
        return _parsed(given, value, parse)

    def _with_prefix(self, prefix: str) -> dict[str, Any]:
        return {
            key.removeprefix(prefix): value
            for key, value in self._given.items()
            if key.startswith(prefix)
        }

    @staticmethod
    def _spelled(values: Mapping[str, Any]) -> dict[str, Any]:
        return {dotted_key(key): value for key, value in values.items()}

    def _take(self, key: str, value: Any) -> None:
        spelling = dotted_key(key)
        if spelling in self._given:
            raise ConfigError(given_twice(spelling))
        setting = BY_KEY.get(spelling)
        trimmed = value.strip() if isinstance(value, str) else value
        if setting is not None:
            self._given[spelling] = _parsed(key, trimmed, setting.parse)
        elif spelling.startswith(USER_PREFIX):
            self._given[spelling] = value
        else:
            self._given[spelling] = _parsed(
                key, trimmed, parsing.of_client(without_prefix(spelling))
            )


def on_cluster_of_environment(config: StreamsConfig, options: Mapping[str, Any]) -> StreamsConfig:
    """Return settings that name a cluster as they are. Where they name none, and a variable of the
    environment does, the variables go before them, and `options` of the command line before all.
    """
    if config.names_cluster or not os.environ.get(CLUSTER_VARIABLE):
        return config
    return with_options(StreamsConfig.from_environment(config), options)


def with_options(config: StreamsConfig, options: Mapping[str, Any]) -> StreamsConfig:
    """Return settings with those of the command line before them."""
    before = dotted_keys(options)
    made = StreamsConfig({**config.given(), **before})
    made.has_cluster_of_environment = (
        config.has_cluster_of_environment and "bootstrap.servers" not in before
    )
    return made


def given_settings(values: Mapping[str, Any] | StreamsConfig | None) -> dict[str, Any]:
    """Return settings as a dict.

    Raises:
        ConfigError: they are neither a mapping nor a StreamsConfig.
    """
    if isinstance(values, StreamsConfig):
        return values.given()
    if not isinstance(values, Mapping | None):
        msg = f"settings must be a dict, such as {{'application.id': 'orders'}}; got {values!r}"
        raise ConfigError(msg)
    return dict(values or {})


def _options_of(node: str) -> tuple[str, ...]:
    """Return the options that bring a serde to a node or store, by its title."""
    kind = node.partition(" ")[0]
    if "-repartition" in node.partition(" (defined at ")[0]:
        return "Grouped", "Repartitioned"
    options = {"source": "Consumed", "sink": "Produced", "join": "StreamJoined"}
    return (options.get(kind, "Materialized"),)


def _fresh(default: Any) -> Any:
    return default() if isinstance(default, type) else default


def _parsed(key: str, value: Any, parse: Callable[[Any], Any]) -> Any:
    try:
        return parse(value)
    except (ValueError, TypeError, StreamsError) as error:
        msg = f"setting {key!r}{' ' if str(error).startswith('must ') else ': '}{error}"
        raise ConfigError(msg) from error
