"""The settings Penstock honours: key, unit, default, how the value is read, what it does.

Keys and defaults are those of Kafka Streams 4.3 unless they begin with `penstock.`. A key of Kafka
Streams that is not honoured is listed with the reason, so that no user waits for an effect it has
not.

Long because it is a table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock import serdes
from penstock.handlers import (
    DefaultProductionExceptionHandler,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    LogAndFailExceptionHandler,
    LogAndFailProcessingExceptionHandler,
)
from penstock.settings import parsing
from penstock.timestamps import (
    FailOnInvalidTimestamp,
    LogAndSkipOnInvalidTimestamp,
    UsePartitionTimeOnInvalidTimestamp,
    WallclockTimestampExtractor,
)

ACCEPT_CHANGED_TOPOLOGY = "penstock.accept.changed.topology"
ACCEPT_REMOVED_FIELDS = "penstock.accept.removed.fields"
AT_LEAST_ONCE = "at_least_once"
EXACTLY_ONCE_V2 = "exactly_once_v2"

_REMOVED_GUARANTEE = (
    "it was removed in Kafka Streams 4.0; 'exactly_once_v2' gives the same guarantee "
    "with fewer producers"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its key in Kafka Streams, its default, how its value is read, and what it does.

    A default that is a class means: a new object of it.

    >>> from penstock.settings import SETTINGS as settings
    >>> next(each.default for each in settings if each.key == "num.standby.replicas")
    0
    """

    key: str
    default: Any
    parse: Callable[[Any], Any]
    effect: str
    unit: str | None = None


_APPLICATION = (
    Setting(
        "application.id",
        None,
        parsing.application_id,
        "names the application: its group, its internal topics, its state",
    ),
    Setting(
        "bootstrap.servers",
        None,
        parsing.servers,
        "where the Kafka cluster is",
        "host:port, several with commas",
    ),
    Setting(
        "client.id",
        None,
        parsing.text,
        "begins the names of the Kafka clients in the broker's logs and quotas; "
        "default: application.id",
    ),
    Setting(
        "application.server",
        None,
        parsing.endpoint,
        "what the metadata of queries says about where this instance is asked (see "
        "KafkaStreams.query_metadata_for_key); its host is where other drivers ask for HTTP",
        "host:port",
    ),
    Setting(
        "num.stream.threads",
        None,
        parsing.at_least(1),
        "how many slots share the tasks; default: what penstock.spark.slots says",
        "slots",
    ),
    Setting(
        "processing.guarantee",
        AT_LEAST_ONCE,
        parsing.one_of(
            AT_LEAST_ONCE,
            EXACTLY_ONCE_V2,
            refused={"exactly_once": _REMOVED_GUARANTEE, "exactly_once_beta": _REMOVED_GUARANTEE},
        ),
        "whether a failure may repeat effects of a record (at_least_once) or not (exactly_once_v2)",
    ),
    Setting(
        "topology.optimization",
        "none",
        parsing.optimization,
        "which rewrites a topology goes through when it is built: builder.build(settings)",
    ),
    Setting(
        "ensure.explicit.internal.resource.naming",
        False,
        parsing.truth,
        "whether a program is refused whose stores or internal topics have no name of the user's",
    ),
    Setting(
        ACCEPT_CHANGED_TOPOLOGY,
        None,
        parsing.text,
        "the id of a changed program that may run though it does not find all its state again; "
        "the refusal names it",
    ),
    Setting(
        ACCEPT_REMOVED_FIELDS,
        None,
        parsing.names,
        "the fields of stored types that a changed program may lose, once, with what is stored in "
        "them; the refusal names them",
        "store.field, several with commas",
    ),
)

_DATA = (
    Setting(
        "default.key.serde",
        None,
        parsing.serde,
        "reads and writes keys where a verb says nothing else",
    ),
    Setting(
        "default.value.serde",
        None,
        parsing.serde,
        "reads and writes values where a verb says nothing else",
    ),
    Setting(
        "windowed.inner.class.serde",
        None,
        serdes.resolve,
        "the keys within windows, if a default serde is 'time_windowed' or 'session_windowed'",
    ),
    Setting(
        "window.size.ms",
        None,
        parsing.at_least(1),
        "the size of the windows, if a default serde is 'time_windowed'",
        "ms",
    ),
    Setting(
        "default.timestamp.extractor",
        FailOnInvalidTimestamp(),
        parsing.instance_of(
            "a timestamp extractor",
            "__call__",
            FailOnInvalidTimestamp,
            LogAndSkipOnInvalidTimestamp,
            UsePartitionTimeOnInvalidTimestamp,
            WallclockTimestampExtractor,
        ),
        "gives a record its time where its source says nothing else",
    ),
)

_FAILURES = (
    Setting(
        "deserialization.exception.handler",
        LogAndFailExceptionHandler,
        parsing.instance_of(
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
        parsing.instance_of(
            "a processing exception handler",
            "handle_error",
            LogAndFailProcessingExceptionHandler,
            LogAndContinueProcessingExceptionHandler,
        ),
        "decides about records on which a node raises",
    ),
    Setting(
        "processing.exception.handler.global.enabled",
        False,
        parsing.truth,
        "whether that handler is asked about records of global tables and stores too; without it "
        "they end the application. Dead letters cannot be sent for them",
    ),
    Setting(
        "production.exception.handler",
        DefaultProductionExceptionHandler,
        parsing.instance_of(
            "a production exception handler", "handle_error", DefaultProductionExceptionHandler
        ),
        "decides about records that cannot be written",
    ),
    Setting(
        "errors.dead.letter.queue.topic.name",
        None,
        parsing.text,
        "takes the records that failed, from the built-in handlers",
    ),
    Setting(
        "task.timeout.ms",
        300_000,
        parsing.at_least(0),
        "how long faults of the broker that may pass are retried; 0: not at all",
        "ms",
    ),
)

_PACE = (
    Setting(
        "commit.interval.ms",
        None,
        parsing.at_least(0),
        "how often work is committed; default: 30000, under exactly-once 100",
        "ms",
    ),
    Setting("poll.ms", 100, parsing.at_least(0), "how long a poll waits for records", "ms"),
    Setting(
        "buffered.records.per.partition",
        1000,
        parsing.at_least(1),
        "how many records of a partition may wait in a task before it is read no further",
        "records",
    ),
    Setting(
        "max.task.idle.ms",
        0,
        parsing.at_least(-1),
        "how long a task waits for partitions that are empty; -1: not at all",
        "ms",
    ),
    Setting(
        "repartition.purge.interval.ms",
        30_000,
        parsing.at_least(0),
        "how often what was read and committed is deleted from repartition topics",
        "ms",
    ),
)

JOIN_EMIT_INTERVAL = "__emit.interval.ms.kstreams.outer.join.spurious.results.fix__"
KEEP_FINAL_RESULTS = "penstock.keep.final.results"
WINDOW_EMIT_INTERVAL = "__emit.interval.ms.kstreams.windowed.aggregation__"

_EMISSION = (
    Setting(
        JOIN_EMIT_INTERVAL,
        1000,
        parsing.at_least(0),
        "how often at most joins look for records whose window closed without a match; 0 in tests",
        "ms",
    ),
    Setting(
        WINDOW_EMIT_INTERVAL,
        1000,
        parsing.at_least(0),
        "how often at most windows that have closed are looked for; 0 in tests",
        "ms",
    ),
    Setting(
        KEEP_FINAL_RESULTS,
        True,
        parsing.truth,
        "whether windows that have closed are emitted before their store forgets them; false, as "
        "in Java, in the test driver, and with an interval of 0: they may be lost",
    ),
)

_STATE = (
    Setting(
        "default.dsl.store",
        "rocksDB",
        parsing.one_of("rocksDB", "in_memory"),
        "where the stores of verbs live that do not say it themselves",
    ),
    Setting(
        "dsl.store.format",
        "DEFAULT",
        parsing.one_of_any_case("DEFAULT", "HEADERS"),
        "HEADERS: the stores of tables and aggregates on RocksDB have room for headers; as in Java "
        "4.3, verbs keep none in them, and only changelog records of deletions have headers",
    ),
    Setting(
        "dsl.store.suppliers.class",
        None,
        parsing.dsl_stores,
        "the same, and goes before it: 'rocksdb', 'in_memory', Java's class of either, or an "
        "engine of your own",
    ),
    Setting(
        "state.dir",
        str(Path(tempfile.gettempdir()) / "penstock"),
        parsing.text,
        "where workers keep their stores; a disk that survives a restart saves restoring",
        "path",
    ),
    Setting(
        "statestore.cache.max.bytes",
        10 * 1024 * 1024,
        parsing.at_least(0),
        "how much the record caches of a slot may hold together; 0: no caches",
        "bytes",
    ),
    Setting(
        "num.standby.replicas",
        0,
        parsing.at_least(0),
        "how many other machines keep a copy of each store on disk, to take over its task sooner",
        "copies",
    ),
    Setting(
        "rocksdb.block.cache.size",
        50 * 1024 * 1024,
        parsing.at_least(0),
        "memory for blocks of RocksDB that were read, of each store of each task; 0 for none; "
        "`rocksdb.config.setter` can say something else for a store",
        "bytes",
    ),
    Setting(
        "rocksdb.config.setter",
        None,
        parsing.instance_of("a function of a store's name and its RocksDB settings", "__call__"),
        "changes the settings of RocksDB, store by store",
    ),
    Setting(
        "replication.factor",
        -1,
        parsing.replication_factor,
        "how many replicas internal topics have; -1: the broker's default",
        "replicas",
    ),
    Setting(
        "windowstore.changelog.additional.retention.ms",
        24 * 60 * 60 * 1000,
        parsing.at_least(0),
        "how much longer than its store a changelog of windows keeps its records",
        "ms",
    ),
)

_HOST = (
    Setting(
        "metrics.recording.level",
        "INFO",
        parsing.one_of("INFO", "DEBUG", "TRACE"),
        "which metrics are recorded: at DEBUG also those of each store's operations and of each "
        "task's processing, and sensors of that level; at TRACE also sensors of that level",
    ),
    Setting(
        "penstock.turn.ms",
        10_000,
        parsing.at_least(100),
        "how long a turn is: after each, Spark shows new progress and may move slots",
        "ms",
    ),
    Setting(
        "penstock.lease.ms",
        60_000,
        parsing.at_least(1000),
        "how long a worker goes on without a new turn or an answer of the driver before it gives "
        "its tasks back",
        "ms",
    ),
    Setting(
        "penstock.spark.master",
        None,
        parsing.text,
        "the Spark master where no session is given; default: local[N,4], N the slots or cores",
    ),
    Setting(
        "penstock.spark.slots",
        "auto",
        parsing.slots,
        "how many slots a turn has if num.stream.threads says nothing: a number, 'all' for one on "
        "each core of the executors, 'auto' for the same less one where the session is yours, so "
        "that its other jobs have a core; under dynamic allocation as many as the tasks can use, "
        "up to spark.dynamicAllocation.maxExecutors",
        "slots",
    ),
    Setting(
        "penstock.spark.rows",
        "timestamp",
        parsing.one_of("timestamp", "full"),
        "what the rows of the query show Spark of each committed output record: its timestamp, or "
        "topic, partition, timestamp, key, value and headers; a view that may miss or repeat rows",
    ),
    Setting(
        "penstock.spark.sink",
        "noop",
        parsing.one_of(
            "noop",
            "memory",
            "console",
            refused=dict.fromkeys(
                ("delta", "parquet", "json", "csv", "kafka", "foreachBatch"),
                "rows of the query are a view that cannot be replayed; read the output topic",
            ),
        ),
        "where the rows of the query go: nowhere, to a table in the driver's memory that is named "
        "after application.id (with '_' for '-' and '.') and only grows, or to the driver's output",
    ),
    Setting(
        "penstock.spark.log",
        None,
        parsing.one_of("OFF", "ERROR", "WARN", "INFO", "DEBUG"),
        "from which level on Spark's log is shown; default: not at all, it goes to spark.log (of a "
        "backfill: backfill.log) in "
        "the application's state directory",
    ),
)

_HTTP = (
    Setting(
        "penstock.http.port",
        None,
        parsing.at_least(0),
        "at which port stores, topology and health are served over HTTP, 0: any free one; "
        "default: none is; needs penstock[http]",
    ),
    Setting(
        "penstock.http.address",
        "127.0.0.1",
        parsing.text,
        "at which address of the driver HTTP is served",
    ),
    Setting(
        "penstock.http.access",
        "token",
        parsing.one_of("token", "no token on loopback", "no token anywhere"),
        "whether a request must show a token; beyond loopback 'no token anywhere' must be said",
    ),
    Setting(
        "penstock.http.token",
        None,
        parsing.text,
        "the token; default: a new one, in a file of the application's state directory",
    ),
    Setting(
        "penstock.http.token.file",
        None,
        parsing.text,
        "a file that has the token",
        "path",
    ),
    Setting(
        "penstock.http.certificate",
        None,
        parsing.text,
        "the certificate (PEM) with which HTTPS is served; default: HTTP",
        "path",
    ),
    Setting(
        "penstock.http.private.key",
        None,
        parsing.text,
        "the private key (PEM) of the certificate; default: in the file of the certificate",
        "path",
    ),
    Setting(
        "penstock.http.hosts",
        None,
        parsing.text,
        "host names, besides localhost, by which the server may be addressed",
        "names with commas",
    ),
)

SETTINGS: tuple[Setting, ...] = (
    *_APPLICATION,
    *_DATA,
    *_FAILURES,
    *_PACE,
    *_EMISSION,
    *_STATE,
    *_HOST,
    *_HTTP,
)
"""All settings, in the order of their page.

>>> from penstock.settings import SETTINGS as settings
>>> settings[0].key
'application.id'
"""

BY_KEY = {setting.key: setting for setting in SETTINGS}

RENAMED = {
    "cache.max.bytes.buffering": "statestore.cache.max.bytes",
    "default.deserialization.exception.handler": "deserialization.exception.handler",
    "default.production.exception.handler": "production.exception.handler",
}
"""Keys that Kafka Streams has replaced by others."""

NOT_HONOURED = frozenset(
    {
        "acceptable.recovery.lag",
        "allow.os.group.write.access",
        "built.in.metrics.version",
        "default.client.supplier",
        "default.list.key.serde.inner",
        "default.list.key.serde.type",
        "default.list.value.serde.inner",
        "default.list.value.serde.type",
        "group.protocol",
        "log.summary.interval.ms",
        "max.warmup.replicas",
        "metrics.num.samples",
        "metrics.sample.window.ms",
        "probing.rebalance.interval.ms",
        "processor.wrapper.class",
        "rack.aware.assignment.non_overlap_cost",
        "rack.aware.assignment.strategy",
        "rack.aware.assignment.tags",
        "rack.aware.assignment.traffic_cost",
        "state.cleanup.delay.ms",
        "state.cleanup.dir.max.age.ms",
        "task.assignor.class",
        "upgrade.from",
    }
)
"""Keys of Kafka Streams that have no effect here, so they are refused."""
