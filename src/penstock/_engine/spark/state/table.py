"""A store as a DataFrame."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from penstock._engine.kafka.changelogs.known_stores import (
    KnownStores,
    stores_of_program,
    stores_on_record,
)
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.spark.batch.arrow_map import map_in_arrow
from penstock._engine.spark.session import reading_session
from penstock._engine.spark.shipping.shipping import dumps
from penstock._engine.spark.state.scan import StateScan, plan_scan
from penstock._engine.topology.topology import Topology
from penstock.errors import ConfigError, QueryError, StreamsError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig

Offsets = Mapping[int, int] | None


def scan_of(
    store: str,
    config: StreamsConfig,
    *,
    topology: Topology | None = None,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    until: Offsets = None,
) -> StateScan:
    """Plan the read of a store of an application that may run or not.

    Raises:
        QueryError: there is no such store, or it has no rows to show.
        StreamsError: the application has never run, or the cluster does not answer.
    """
    admin = open_admin(config)
    known: KnownStores | None
    if topology is not None:
        known = stores_of_program(topology, config, admin)
    else:
        known = stores_on_record(config, admin)
    if known is None:
        msg = (
            f"application {config.application_id!r} has never run on the cluster at "
            f"{config.bootstrap_servers}: there is no record of its stores; correct the name, or "
            "pass its topology"
        )
        raise StreamsError(msg)
    entry = known.entries.get(store)
    if entry is None:
        names = ", ".join(map(repr, sorted(known.entries))) or "none"
        msg = f"application {config.application_id!r} has no store {store!r}; its stores: {names}"
        raise QueryError(msg)
    return plan_scan(_with_serdes(entry, key, value), config, admin, until)


def table_of(scan: StateScan, spark: SparkSession | None) -> DataFrame:
    """Return a planned read as a DataFrame: a Spark partition for each partition of the store."""
    session = reading_session(scan.config, spark)
    count = len(scan.partitions)
    numbers = session.range(0, count, 1, max(1, count))
    return map_in_arrow(numbers, _reader_of(scan), scan.schema(), f"state_{scan.plan.builder.name}")


def table_of_entry(
    entry: StoreEntry, config: StreamsConfig, partition: int | None, spark: SparkSession | None
) -> DataFrame:
    """Return a store of a running application as a DataFrame, or one partition of it.

    Raises:
        QueryError: it has no changelog.
    """
    if entry.is_global:
        msg = (
            f"store {entry.name!r} is global: read it with penstock.spark.state("
            f"{config.application_id!r}, {entry.name!r}, config, topology=...)"
        )
        raise QueryError(msg)
    scan = plan_scan(entry, config, open_admin(config))
    if partition is not None:
        chosen = {partition: scan.extent.by_partition[partition]}
        scan = replace(scan, extent=replace(scan.extent, by_partition=chosen))
    return table_of(scan, spark)


def settings_for(
    application: str, config: StreamsConfig | Mapping[str, Any] | None
) -> StreamsConfig:
    """Return the settings of a read: those given, else those of the environment."""
    named = {"application.id": application}
    if config is None:
        return StreamsConfig.from_environment(named)
    given = config.given() if isinstance(config, StreamsConfig) else dict(config)
    return StreamsConfig({**StreamsConfig({**named, **given}).given(), **named})


def offsets_of(until: object) -> Offsets:
    """Check what a user gives as offsets.

    Raises:
        ConfigError: it is no mapping of partitions to offsets.
    """
    if until is None:
        return None
    if isinstance(until, Mapping) and all(
        isinstance(one, int) and not isinstance(one, bool) for pair in until.items() for one in pair
    ):
        return until
    msg = f"until must be offsets by partition, such as {{0: 1200, 1: 980}}; got {until!r}"
    raise ConfigError(msg)


def _with_serdes(entry: StoreEntry, key: Serde[Any] | None, value: Serde[Any] | None) -> StoreEntry:
    builder = entry.plan.builder
    builder = replace(builder, key=key or builder.key, value=value or builder.value)
    return replace(entry, plan=replace(entry.plan, builder=builder))


def _reader_of(
    scan: StateScan,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that reads the partitions whose numbers are in its batches. Settings are
    part of its code, where no option shows them.
    """
    packed = dumps(scan)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        scan: StateScan = pickle.loads(packed)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from scan.read(scan.partitions[number])

    return read
