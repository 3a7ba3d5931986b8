"""Java's client settings in librdkafka's words.

A key goes one of four ways: it is refused, since the engine decides it or since it names Java code;
it is renamed, its value converted; it has no effect, since librdkafka needs no such setting; or it
passes as it is. Security has a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from penstock._engine.kafka.client.security import translate_security
from penstock.errors import ConfigError
from penstock.settings.client_keys import Client

_JAVA_CODE = "it names Java code, which does not run here"
_SERDES = "serdes read and write keys and values: Consumed, Produced, 'default.key.serde'"
_ONE_CLUSTER = "an application has one cluster: set 'bootstrap.servers' alone"
_TASKS = "tasks are assigned, not partitions, and the engine says how"
_COMMITS = "offsets are committed with the work they belong to, each 'commit.interval.ms'"
_PLACING = (
    "records must go to the partitions where Java's default would put them; "
    "use Produced(partitioner=...)"
)
_ANSWERS = "the engine needs it to know what has been written"

_ENGINE_DECIDES: dict[str, tuple[str | None, str]] = {
    "allow.auto.create.topics": ("false", "a topic that is missing is an error"),
    "auto.commit.enable": ("false", _COMMITS),
    "auto.commit.interval.ms": (None, _COMMITS),
    "bootstrap.servers": (None, _ONE_CLUSTER),
    "client.id": (None, "all clients are named after the setting 'client.id' without a prefix"),
    "config.providers": (None, _JAVA_CODE),
    "delivery.report.only.error": ("true", _ANSWERS),
    "enable.auto.commit": ("false", _COMMITS),
    "enable.auto.offset.store": (None, _COMMITS),
    "enable.gapless.guarantee": (None, _ANSWERS),
    "enable.partition.eof": ("true", "the engine must know when it has caught up"),
    "group.id": (None, "the group is 'application.id'"),
    "group.instance.id": (None, "the engine names its members"),
    "group.protocol": ("classic", _TASKS),
    "group.protocol.type": ("consumer", _TASKS),
    "group.remote.assignor": (None, _TASKS),
    "interceptor.classes": (None, _JAVA_CODE),
    "key.deserializer": (None, _SERDES),
    "key.serializer": (None, _SERDES),
    "metadata.broker.list": (None, _ONE_CLUSTER),
    "metric.reporters": (None, _JAVA_CODE),
    "offset.store.method": ("broker", _COMMITS),
    "partition.assignment.strategy": ("cooperative-sticky", _TASKS),
    "partitioner": ("murmur2_random", _PLACING),
    "partitioner.class": (None, _PLACING),
    "partitioner.ignore.keys": ("false", _PLACING),
    "queuing.strategy": ("fifo", "records must be written in the order they were made"),
    "sasl.client.callback.handler.class": (None, _JAVA_CODE),
    "sasl.login.class": (None, _JAVA_CODE),
    "security.providers": (None, _JAVA_CODE),
    "ssl.engine.factory.class": (None, _JAVA_CODE),
    "transaction.two.phase.commit.enable": ("false", "the engine commits its transactions itself"),
    "transactional.id": (None, "the engine names its producers"),
    "value.deserializer": (None, _SERDES),
    "value.serializer": (None, _SERDES),
}
"""Settings that may not be changed: the one value that is taken, if any, and why."""

_NO_EFFECT = frozenset(
    {
        "default.api.timeout.ms",  # calls to the broker are tried until 'task.timeout.ms'
        "exclude.internal.topics",  # the engine reads no topics but the topology's
        "max.block.ms",  # nothing blocks: a full queue is drained by polling
        "metadata.max.idle.ms",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
        # A client does not check the tokens it sends.
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.header.urlencode",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.jwt.validator.class",
        "sasl.oauthbearer.scope.claim.name",
        "socket.connection.setup.timeout.max.ms",
        # OpenSSL agrees with the broker on the newest protocol both have.
        "ssl.enabled.protocols",
        "ssl.keymanager.algorithm",
        "ssl.protocol",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    }
)
"""Settings that are taken and not needed."""

_ENGINE_HONOURS = frozenset({"auto.offset.reset", "max.poll.records"})
"""Settings of Java's consumer that the engine sees to; StreamsConfig has them as properties."""

_SYNONYMS = {
    "compression.codec": "compression.type",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "max.in.flight": "max.in.flight.requests.per.connection",
    "max.request.size": "message.max.bytes",
    "message.send.max.retries": "retries",
    "message.timeout.ms": "delivery.timeout.ms",
    "queue.buffering.max.ms": "linger.ms",
    "request.required.acks": "acks",
    "sasl.mechanisms": "sasl.mechanism",
}
"""Two names of one setting; the second is used, so that a default has one name to go by."""


def whole(key: str, value: Any) -> int:
    """Return a value as a number."""
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        msg = f"setting {key!r} must be a whole number; got {value!r}"
        raise ConfigError(msg) from error


def _at_least(minimum: int, *names: str) -> Callable[[str, Any], dict[str, Any]]:
    """Convert to `names`; librdkafka takes `minimum` for what Java writes as a smaller number."""

    def convert(key: str, value: Any) -> dict[str, Any]:
        return dict.fromkeys(names, max(minimum, whole(key, value)))

    return convert


def _kilobytes(key: str, value: Any) -> dict[str, Any]:
    return {"queue.buffering.max.kbytes": max(1, whole(key, value) // 1024)}


def _metadata_age(key: str, value: Any) -> dict[str, Any]:
    # Java asks again after this time; librdkafka does so by another key, and forgets after three
    # times as long.
    age_ms = whole(key, value)
    return {
        "topic.metadata.refresh.interval.ms": min(max(1, age_ms), 3_600_000),
        "metadata.max.age.ms": min(max(1, 3 * age_ms), 86_400_000),
    }


def _fetch_bytes(key: str, value: Any) -> dict[str, Any]:
    fetch_bytes = whole(key, value)
    return {
        key: fetch_bytes,
        # The answer must fit, with its frame.
        "receive.message.max.bytes": max(100_000_000, fetch_bytes + 512),
    }


_Convert: TypeAlias = Callable[[str, Any], dict[str, Any]]

_CONVERSIONS: dict[str, _Convert] = {
    "batch.size": _at_least(1, "batch.size"),
    "buffer.memory": _kilobytes,
    "connections.max.idle.ms": _at_least(0, "connections.max.idle.ms"),
    "fetch.max.bytes": _fetch_bytes,
    "metadata.max.age.ms": _metadata_age,
    "receive.buffer.bytes": _at_least(0, "socket.receive.buffer.bytes"),
    "request.timeout.ms": _at_least(10, "socket.timeout.ms"),
    "retry.backoff.max.ms": _at_least(1, "retry.backoff.max.ms"),
    "retry.backoff.ms": _at_least(1, "retry.backoff.ms"),
    "send.buffer.bytes": _at_least(0, "socket.send.buffer.bytes"),
}

_OF_PRODUCER: dict[str, _Convert] = {
    # The broker's time to answer, and the client's time to wait for it.
    "request.timeout.ms": _at_least(10, "request.timeout.ms", "socket.timeout.ms"),
}

_COMPRESSION_LEVELS = ("gzip", "lz4", "zstd")


def translate(client: Client, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the user's settings translated for librdkafka.

    Raises:
        ConfigError: a setting is the engine's, is Java code, or cannot be said to librdkafka.
    """
    conversions = _CONVERSIONS | (_OF_PRODUCER if client == "producer" else {})
    result: dict[str, Any] = {}
    for key, value in settings.items():
        if key in _ENGINE_DECIDES:
            _check_decided(client, key, value)
        elif key in conversions:
            result.update(conversions[key](key, value))
        elif key not in _NO_EFFECT and key not in _ENGINE_HONOURS:
            result[_SYNONYMS.get(key, key)] = value
    _compression_level(result)
    if client == "admin":
        result.pop("retries", None)  # the engine repeats what failed
    return translate_security(result)


def _check_decided(client: Client, key: str, value: Any) -> None:
    only, reason = _ENGINE_DECIDES[key]
    if only is None or str(value).lower() != only:
        must = f"must be {only!r}" if only else "must not be set"
        msg = f"setting {key!r} of a {client} {must}: {reason}"
        raise ConfigError(msg)


def _compression_level(settings: dict[str, Any]) -> None:
    """Put the level of the compression in use into librdkafka's one setting for all."""
    levels = {kind: settings.pop(f"compression.{kind}.level", None) for kind in _COMPRESSION_LEVELS}
    level = levels.get(settings.get("compression.type", "none"))
    if level is not None:
        settings.setdefault("compression.level", level)
