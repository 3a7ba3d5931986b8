"""The values of an application's settings as properties, each with its type: what code asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from penstock.errors import ConfigError
from penstock.metrics import RecordingLevel
from penstock.settings import parsing
from penstock.settings.table import (
    ACCEPT_CHANGED_TOPOLOGY,
    ACCEPT_REMOVED_FIELDS,
    EXACTLY_ONCE_V2,
    JOIN_EMIT_INTERVAL,
    KEEP_FINAL_RESULTS,
    WINDOW_EMIT_INTERVAL,
)
from penstock.stores import EngineChoice
from penstock.timestamps import TimestampExtractor

RowKind: TypeAlias = Literal["timestamp", "full"]
"""What the rows of a query show of an output record."""


class SettingValues:
    """What `StreamsConfig` has read and checked, but for the settings of Kafka's clients."""

    _values: dict[str, Any]

    @property
    def application_id(self) -> str:
        return cast(str, self._values["application.id"])

    @property
    def bootstrap_servers(self) -> str:
        """Where the cluster is; ConfigError if it is not set."""
        servers = self._values["bootstrap.servers"]
        if servers is None:
            msg = (
                "setting 'bootstrap.servers' must be given, as 'host:port'; it says where the "
                "Kafka cluster is"
            )
            raise ConfigError(msg)
        return cast(str, servers)

    @property
    def client_id(self) -> str:
        """What the names of the Kafka clients begin with."""
        return cast(str, self._values["client.id"]) or self.application_id

    @property
    def application_server(self) -> tuple[str, int] | None:
        """Host and port that the metadata of queries show; None if not set."""
        host, _, port = cast(str, self._values["application.server"] or "").rpartition(":")
        return (host.strip("[]"), int(port)) if host else None

    @property
    def num_stream_threads(self) -> int | None:
        """The number of slots; None: one for each core of the executors."""
        return cast("int | None", self._values["num.stream.threads"])

    @property
    def num_standby_replicas(self) -> int:
        """How many other machines keep a copy of each store."""
        return cast(int, self._values["num.standby.replicas"])

    @property
    def exactly_once(self) -> bool:
        return bool(self._values["processing.guarantee"] == EXACTLY_ONCE_V2)

    @property
    def commit_interval_ms(self) -> int:
        return cast(int, self._values["commit.interval.ms"])

    @property
    def poll_ms(self) -> int:
        return cast(int, self._values["poll.ms"])

    @property
    def buffered_records_per_partition(self) -> int:
        return cast(int, self._values["buffered.records.per.partition"])

    @property
    def join_emit_interval_ms(self) -> int:
        return cast(int, self._values[JOIN_EMIT_INTERVAL])

    @property
    def window_emit_interval_ms(self) -> int:
        return cast(int, self._values[WINDOW_EMIT_INTERVAL])

    @property
    def keeps_final_results(self) -> bool:
        """Whether no window may be forgotten before its final result has come out."""
        return self.window_emit_interval_ms > 0 and cast(bool, self._values[KEEP_FINAL_RESULTS])

    @property
    def max_task_idle_ms(self) -> int:
        return cast(int, self._values["max.task.idle.ms"])

    @property
    def task_timeout_ms(self) -> int:
        return cast(int, self._values["task.timeout.ms"])

    @property
    def window_changelog_additional_retention_ms(self) -> int:
        return cast(int, self._values["windowstore.changelog.additional.retention.ms"])

    @property
    def repartition_purge_interval_ms(self) -> int:
        return cast(int, self._values["repartition.purge.interval.ms"])

    @property
    def state_dir(self) -> Path:
        return Path(self._values["state.dir"])

    @property
    def cache_bytes_max(self) -> int:
        return cast(int, self._values["statestore.cache.max.bytes"])

    @property
    def dsl_engine(self) -> EngineChoice:
        """Where the stores of verbs live that do not say it themselves."""
        given = self._values["dsl.store.suppliers.class"]
        by_name: EngineChoice = (
            "in_memory" if self._values["default.dsl.store"] == "in_memory" else "rocksdb"
        )
        return by_name if given is None else cast("EngineChoice", given)

    @property
    def dsl_stores_keep_headers(self) -> bool:
        """Whether the stores of tables and aggregates on RocksDB hold headers."""
        return bool(self._values["dsl.store.format"] == "HEADERS")

    @property
    def explicit_names_required(self) -> bool:
        return cast(bool, self._values["ensure.explicit.internal.resource.naming"])

    @property
    def handles_global_processing(self) -> bool:
        """Whether the processing handler is asked about records of global stores."""
        return cast(bool, self._values["processing.exception.handler.global.enabled"])

    @property
    def accepted_topology(self) -> str | None:
        """The id of a changed program that may run."""
        return cast("str | None", self._values[ACCEPT_CHANGED_TOPOLOGY])

    @property
    def accepted_removed_fields(self) -> tuple[str, ...]:
        """The fields of stored types that may be lost once."""
        return cast("tuple[str, ...]", self._values[ACCEPT_REMOVED_FIELDS] or ())

    @property
    def topology_optimizations(self) -> frozenset[str]:
        """The rewrites that a topology goes through."""
        asked: str = self._values["topology.optimization"]
        if asked == "none":
            return frozenset()
        if asked == "all":
            return parsing.OPTIMIZATIONS
        return frozenset(map(str.strip, asked.split(",")))

    @property
    def rocksdb_block_cache_bytes(self) -> int:
        """The block cache of a store on RocksDB, unless its setter says something else."""
        return cast(int, self._values["rocksdb.block.cache.size"])

    @property
    def rocksdb_config_setter(self) -> Callable[[str, Any], None] | None:
        """What changes the options of a store, given its name and them; or None."""
        return cast("Callable[[str, Any], None] | None", self._values["rocksdb.config.setter"])

    @property
    def replication_factor(self) -> int:
        return cast(int, self._values["replication.factor"])

    @property
    def recording_level(self) -> RecordingLevel:
        return cast(RecordingLevel, self._values["metrics.recording.level"])

    @property
    def records_debug_metrics(self) -> bool:
        return self.recording_level != "INFO"

    @property
    def turn_ms(self) -> int:
        return cast(int, self._values["penstock.turn.ms"])

    @property
    def lease_ms(self) -> int:
        return cast(int, self._values["penstock.lease.ms"])

    @property
    def spark_master(self) -> str:
        """The Spark master where no session is given.

        By default `local[N,4]`: where it stands alone, `local[N]` does not retry a slot that fails.
        """
        default = f"local[{self.slots_wanted or '*'},4]"
        return cast(str, self._values["penstock.spark.master"]) or default

    @property
    def slots_wanted(self) -> int | None:
        """How many slots the user asks for, None if they follow the cores."""
        slots = self._values["penstock.spark.slots"]
        return self.num_stream_threads or (slots if isinstance(slots, int) else None)

    @property
    def takes_all_cores(self) -> bool:
        """Whether slots leave no core where the session is the user's."""
        return bool(self._values["penstock.spark.slots"] == "all")

    @property
    def spark_rows(self) -> RowKind:
        """What the rows of the query show of an output record."""
        return cast(RowKind, self._values["penstock.spark.rows"])

    @property
    def spark_sink(self) -> str:
        """Spark's name of the sink of the query."""
        return cast(str, self._values["penstock.spark.sink"])

    @property
    def spark_log(self) -> str | None:
        """From which level on Spark's log is shown; None: it goes to a file."""
        return cast("str | None", self._values["penstock.spark.log"])

    @property
    def names_cluster(self) -> bool:
        """Whether the settings say where the Kafka cluster is."""
        return self._values["bootstrap.servers"] is not None

    @property
    def default_timestamp_extractor(self) -> TimestampExtractor:
        return cast(TimestampExtractor, self._values["default.timestamp.extractor"])
