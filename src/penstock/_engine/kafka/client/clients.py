"""The settings of each Kafka client of an application: the engine's own, then the user's.

A worker has up to four consumers: *group* takes part in the group and reads nothing, *input* reads
the partitions of its tasks, *restore* reads changelogs, *global* reads the topics of global tables.
Users set them with the prefixes of Kafka Streams. Make clients only in the process that uses them:
librdkafka does not survive a fork.
"""

from __future__ import annotations

import logging
from typing import Any, Literal, TypeAlias

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

from penstock._clock import monotonic
from penstock._engine.kafka.client.refused_connections import (
    check_files,
    check_token_function,
    client_refused,
    is_refusal,
    lacks_token,
)
from penstock._engine.kafka.client.translation import translate, whole
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

Role: TypeAlias = Literal["group", "input", "restore", "global"]

_PREFIXES: dict[Role, tuple[str, ...]] = {
    "group": ("consumer.", "main.consumer."),
    "input": ("consumer.", "main.consumer."),
    "restore": ("consumer.", "restore.consumer."),
    "global": ("consumer.", "global.consumer."),
}

_SESSION_TIMEOUT_MS = 45_000

_GROUP: dict[str, Any] = {
    "partition.assignment.strategy": "cooperative-sticky",
    "heartbeat.interval.ms": 1000,
    "session.timeout.ms": _SESSION_TIMEOUT_MS,
    "max.poll.interval.ms": 300_000,
    # It reads nothing, so a missing start offset is no fault.
    "auto.offset.reset": "latest",
}

_READING: dict[str, Any] = {
    # An error instead of a reset by the consumer: the policy differs by source, and the engine
    # applies it (kafka/tasks/inputs.py).
    "auto.offset.reset": "error",
    "enable.partition.eof": True,
    # A partition that is added or resumed waits for the fetch under way, which waits so long if
    # there is nothing to read. What arrives is handed over at once, however long this is.
    "fetch.wait.max.ms": 100,
    # How long no fetch is sent after enough is queued. The default is a second: with queues this
    # short a task would get a tenth of what the broker can give.
    "fetch.queue.backoff.ms": 10,
    "fetch.error.backoff.ms": 100,
    "queued.max.messages.kbytes": 65_536,
}

# What tasks do not take yet is buffered a second time (paused_buffer.py), so a little less is
# read ahead for them than for restoring, which takes all.
_QUEUED_MESSAGES: dict[Role, int] = {"input": 10_000, "restore": 100_000, "global": 100_000}

# When all brokers are away a client would begin at its bootstrap servers again and lose the group's
# coordinator for good: offsets never join a transaction, and a group cannot be looked at any more
# (librdkafka, issue 5511). Consumers find it by another way, and may begin again.
_KEEP_COORDINATORS: dict[str, Any] = {"metadata.recovery.strategy": "none"}

_PRODUCER: dict[str, Any] = {
    # The partition Java would choose for a key.
    "partitioner": "murmur2_random",
    "acks": "all",
    "max.in.flight.requests.per.connection": 5,
    "message.max.bytes": 1_048_576,
    "queue.buffering.max.messages": 1_000_000,
    "queue.buffering.max.kbytes": 131_072,
    "delivery.report.only.error": True,
    # How long an unknown topic counts as new. By default it is longer than a transaction may
    # last, and a topic that is missing would look like a broker that does not answer.
    "topic.metadata.propagation.max.ms": 5000,
    # A producer that fails is replaced by a new one, which begins at the bootstrap servers anyway.
    **_KEEP_COORDINATORS,
}

# How long a batch waits to be filled. Each is a request of its own, for which the broker works:
# twice as much in all with 5 ms. In a transaction no record is visible before the commit, which
# does not wait for the linger time; without one, every output would feel the 100 ms that Java's
# streams wait.
_LINGER_MS = 20
_LINGER_IN_TRANSACTION_MS = 100

_TRANSACTION_TIMEOUT_MS = 10_000
_SILENT_SECONDS = 30.0
_CRITICAL = 2
_ALL_ACKS = {"all", "-1"}


def consumer_settings(config: StreamsConfig, role: Role) -> dict[str, Any]:
    """Return the settings of a consumer; the worker adds `group.instance.id` to that of the group.

    Raises:
        ConfigError: the user wants what the engine cannot allow.
    """
    wanted = translate("consumer", config.client_settings(*_PREFIXES[role]))
    if config.exactly_once and wanted.get("isolation.level", "read_committed") != "read_committed":
        msg = (
            "setting 'consumer.isolation.level' must be 'read_committed' under exactly-once: "
            "what a transaction may still take back must not be read"
        )
        raise ConfigError(msg)
    if "max.poll.interval.ms" in wanted:
        # librdkafka wants a session to be no longer than that, Java does not.
        interval_ms = whole("max.poll.interval.ms", wanted["max.poll.interval.ms"])
        wanted.setdefault("session.timeout.ms", min(_SESSION_TIMEOUT_MS, interval_ms))
    check_files(wanted)
    isolation = "read_committed" if config.exactly_once else "read_uncommitted"
    own = _GROUP if role == "group" else {**_READING, "queued.min.messages": _QUEUED_MESSAGES[role]}
    return {
        **_connection(config, role),
        "error_cb": FaultLog(f"{config.client_id}-{role}"),
        # Committed offsets belong to a group, so consumers that never subscribe have it too.
        "group.id": config.application_id,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "allow.auto.create.topics": False,
        "isolation.level": isolation,
        **own,
        **wanted,
    }


def isolation_of(
    config: StreamsConfig, role: Role
) -> Literal["read_uncommitted", "read_committed"]:
    """Return which records a consumer reads: all, or those of transactions that are committed."""
    is_all = consumer_settings(config, role)["isolation.level"] == "read_uncommitted"
    return "read_uncommitted" if is_all else "read_committed"


def reading_committed(config: StreamsConfig) -> StreamsConfig:
    """Return the settings for topics that a sink of DataFrames writes: what its transactions took
    back is not read under at-least-once either, unless the user wants it.
    """
    if "isolation.level" in config.client_settings("consumer."):
        return config
    return StreamsConfig({**config.given(), "consumer.isolation.level": "read_committed"})


def producer_settings(config: StreamsConfig, member_id: str) -> dict[str, Any]:
    """Return the settings of a worker's producer. Under exactly-once `member_id` is part of its
    transactional id: the broker fences an earlier producer of the same member.

    Raises:
        ConfigError: the user wants what the engine cannot allow.
    """
    wanted = translate("producer", config.client_settings("producer."))
    check_files(wanted)
    idempotent = _is_idempotent(config, wanted)
    settings = {
        **_connection(config, "producer"),
        "error_cb": FaultLog(f"{config.client_id}-producer"),
        **_PRODUCER,
        "linger.ms": _LINGER_IN_TRANSACTION_MS if config.exactly_once else _LINGER_MS,
        "enable.idempotence": idempotent,
        **wanted,
    }
    if config.exactly_once:
        settings.setdefault("transaction.timeout.ms", _TRANSACTION_TIMEOUT_MS)
        _fit_transaction_timeout(config, settings)
        settings["transactional.id"] = f"{config.application_id}-{member_id}"
    else:
        settings.pop("transaction.timeout.ms", None)
    return settings


def admin_settings(config: StreamsConfig) -> dict[str, Any]:
    """Return the settings of the admin client."""
    wanted = translate("admin", config.client_settings("admin."))
    check_files(wanted)
    return {**_connection(config, "admin"), **_KEEP_COORDINATORS, **wanted}


def check_clients(config: StreamsConfig) -> None:
    """Refuse settings that no cluster or librdkafka would take, before any worker is started.

    Raises:
        ConfigError: a setting is missing, or has a value that the client does not take.
    """
    config.check_for_cluster()
    check_token_function(config)
    consumers: tuple[Role, ...] = ("group", "input", "restore", "global")
    try:
        for role in consumers:
            Consumer(consumer_settings(config, role)).close()
        Producer(producer_settings(config, "check"))
    except KafkaException as error:
        # Its own text is not shown: it may quote what it refuses.
        raise client_refused(error, config) from None


class FaultLog:
    """Logs a client's faults, each kind once in half a minute: they come many times a second while
    a broker is away.
    """

    def __init__(self, client_id: str) -> None:
        self._client_id = client_id
        self._silent_until: dict[int, float] = {}
        self.refusal: KafkaError | None = None
        """Why the cluster refuses this client for good, None if it does not."""

    def __call__(self, fault: KafkaError) -> None:
        now = monotonic()
        if is_refusal(fault) and not lacks_token(fault):
            self.refusal = fault
        if now >= self._silent_until.get(fault.code(), now):
            self._silent_until[fault.code()] = now + _SILENT_SECONDS
            _log.warning("client=%s fault=%s: %s", self._client_id, fault.name(), fault.str())


def _connection(config: StreamsConfig, role: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": config.bootstrap_servers,
        "client.id": f"{config.client_id}-{role}",
        # librdkafka also writes its faults to the terminal; only the worst are left to it.
        "log_level": _CRITICAL,
        # Small requests are sent at once.
        "socket.nagle.disable": True,
        # Java's; the default of 10 s is a long time to wait for a broker that is back.
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 1000,
    }


def _is_idempotent(config: StreamsConfig, wanted: dict[str, Any]) -> bool:
    """Yes if the producer is idempotent: as in Java, unless the user's other settings forbid it."""
    given = str(wanted.pop("enable.idempotence", "")).lower()
    in_flight = "max.in.flight.requests.per.connection"
    few = whole(in_flight, wanted.get(in_flight, 5)) <= 5
    possible = (
        str(wanted.get("acks", "all")).lower() in _ALL_ACKS
        and few
        and str(wanted.get("retries", "1")) != "0"
    )
    if config.exactly_once and (given == "false" or not possible):
        msg = (
            "settings of the producer must leave it idempotent under exactly-once: "
            "'enable.idempotence' true, 'acks' all, 'retries' above 0, "
            "'max.in.flight.requests.per.connection' at most 5; leave them out"
        )
        raise ConfigError(msg)
    if given == "true" and not possible:
        msg = (
            "setting 'producer.enable.idempotence' needs 'acks' all, 'retries' above 0 and "
            "'max.in.flight.requests.per.connection' at most 5"
        )
        raise ConfigError(msg)
    return possible and given != "false"


def _fit_transaction_timeout(config: StreamsConfig, settings: dict[str, Any]) -> None:
    timeout_ms = whole("transaction.timeout.ms", settings["transaction.timeout.ms"])
    if timeout_ms < config.commit_interval_ms:
        msg = (
            f"setting 'producer.transaction.timeout.ms' must be at least 'commit.interval.ms', "
            f"{config.commit_interval_ms}: the broker would abort what is not committed in time; "
            f"got {timeout_ms}"
        )
        raise ConfigError(msg)
    # An answer that comes after the broker has aborted the transaction is of no use, so librdkafka
    # refuses to wait longer; Java's settings, made for both guarantees, often do.
    for key in ("delivery.timeout.ms", "request.timeout.ms", "socket.timeout.ms"):
        if key in settings:
            settings[key] = min(whole(key, settings[key]), timeout_ms)
