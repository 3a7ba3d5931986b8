"""The same topology over DataFrames: a bounded Spark job; topics as streaming and batch DataFrames;
the backfill of an application, which goes live from there; and the stores of an application as
tables.

```python
from penstock import spark as streams

result = streams.run(topology, {"orders": spark.read.parquet("orders")})
result["alerts"].show()  # a sink topic, as a DataFrame
result.store("counts").show()  # what a store holds at the end
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from penstock._engine.spark.batch.typed import Typed
from penstock._engine.topology.topology import Topology
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig
from penstock.terminal.invocation import current, settings_with_options

if TYPE_CHECKING:
    from os import PathLike

    from penstock._engine.kafka.backfill.live_from import LiveFrom
    from penstock._engine.kafka.client.topic_history import Bound
    from penstock._engine.spark.batch.backfill import BackfillReport
    from penstock._engine.spark.batch.backfill_inputs import Until
    from penstock._engine.spark.batch.result import Result
    from penstock._engine.spark.between.live_result import LiveResult
    from penstock._engine.spark.dataframes.request import Edge, Topics
    from penstock._engine.spark.dataframes.sink_stream import StreamingQuery
    from penstock._engine.spark.session import DataFrame, SparkSession
    from penstock.application import KafkaStreams
    from penstock.serdes import Serde

__all__ = [
    "Typed",
    "backfill",
    "history",
    "history_ends",
    "read",
    "read_stream",
    "register",
    "run",
    "state",
    "write_stream",
]


@overload
def run(
    topology: Topology,
    inputs: Mapping[str, DataFrame | Typed],
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    partitions: int | Mapping[str, int] | None = None,
) -> Result: ...


@overload
def run(
    topology: Topology,
    inputs: Mapping[str, DataFrame | Typed],
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    partitions: int | Mapping[str, int] | None = None,
    folder: str | PathLike[str],
    available_now: bool = False,
    trigger: Mapping[str, Any] | None = None,
    after_partial_write: Literal["refuse", "again"] = "refuse",
) -> LiveResult: ...


def run(
    topology: Topology,
    inputs: Mapping[str, DataFrame | Typed],
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    partitions: int | Mapping[str, int] | None = None,
    folder: str | PathLike[str] | None = None,
    available_now: bool = False,
    trigger: Mapping[str, Any] | None = None,
    after_partial_write: Literal["refuse", "again"] = "refuse",
) -> Result | LiveResult:
    """Run a topology over DataFrames, one for each topic it reads.

    A frame has the columns `key`, `value`, `timestamp`, and maybe `headers`, `partition` and
    `offset`; `Typed` says how keys and values of other types become bytes. The result maps each
    sink topic to a DataFrame of what was written to it.

    Batch DataFrames make a bounded job; nothing is computed before rows are asked for. If one input
    is streaming, the topology runs live, in the same session, and the outputs are streaming: inputs
    are written to topics, batch ones once before the start, a live application processes them. It
    needs a cluster (`bootstrap.servers` of `config`, else the local broker) and a `folder` for the
    checkpoints; a later start with the same folder goes on, each row once. Use it as a context
    manager: leaving the block ends all parts, and the failure of one ends all. `trigger` says how
    often inputs are read. With `available_now` the call returns when all that the inputs hold now
    is processed. `after_partial_write="again"`, for one start, writes a batch of an input again
    that was written in part and is cut in another way now.

    `partitions` says how many partitions topics have, one number for all or a dict; an input that
    has a `partition` column keeps its own.

    Raises:
        ConfigError: an argument is wrong.
        StreamsError: the inputs do not fit the topology; the message says what to do.

    ```python
    result = penstock.spark.run(topology, {"orders": spark.read.parquet("orders")})
    result["alerts"].show()
    ```
    """
    # Importing this module alone needs no Spark.
    from penstock._engine.spark.batch.result import Result  # noqa: PLC0415
    from penstock._engine.spark.batch.start import start  # noqa: PLC0415
    from penstock._engine.spark.between import start as live  # noqa: PLC0415
    from penstock._engine.spark.between.live_inputs import is_live  # noqa: PLC0415

    current().answered = True
    if is_live(inputs):
        # All parts must have them, not the application alone.
        config = settings_with_options(config)
        request = live.LiveRequest(
            topology,
            inputs,
            config,
            partitions,
            folder,
            available_now,
            trigger,
            after_partial_write,
        )
        return live.start(request, _application)
    live_only = folder is not None or available_now or trigger is not None
    if live_only or after_partial_write != "refuse":
        msg = (
            "folder, available_now, trigger and after_partial_write are for streaming inputs; "
            "these are all batch DataFrames, whose run keeps nothing: leave them out, or read one "
            "with readStream"
        )
        raise ConfigError(msg)
    return Result(start(topology, inputs, config, partitions))


def _application(topology: Topology, config: StreamsConfig, session: SparkSession) -> KafkaStreams:
    from penstock.application import KafkaStreams  # noqa: PLC0415

    return KafkaStreams(topology, config, spark=session)


def read_stream(
    topics: Topics,
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    starting: Edge = None,
    headers: bool = False,
    table: bool = False,
    max_offsets_per_trigger: int | None = None,
    max_records_per_partition: int | None = None,
    fail_on_data_loss: bool = True,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the committed records of topics as a streaming DataFrame.

    `topics` is a name, several, or a compiled pattern that whole names match. Columns are those of
    Spark's own Kafka source: `key`, `value`, `topic`, `partition`, `offset`, `timestamp`,
    `timestampType`, and with `headers=True` `headers`. With serdes `key` and `value` are typed.
    `config` says where the cluster is, as for an application; if it is left out, variables such as
    `PENSTOCK_BOOTSTRAP_SERVERS` do.

    A query begins at `starting`: "earliest", "latest" (the default, but for tables), a moment, or
    offsets by topic and partition; later it goes on where its checkpoint says. A batch has about
    `max_offsets_per_trigger` offsets; a Spark task reads a partition of a topic, or, with
    `max_records_per_partition`, a part of it. `table=True` shows the changes of a table: records
    without a key are left out, a null value is a deletion. Records that were deleted before they
    were read end the query, unless `fail_on_data_loss` is False.

    Raises:
        ConfigError: an argument is wrong.

    ```python
    orders = penstock.spark.read_stream("orders", config, key=serdes.string(), value=serdes.json())
    orders.groupBy("key").count().writeStream.outputMode("complete").format("console").start()
    ```
    """
    # Importing this module alone needs no Spark.
    from penstock._engine.spark.dataframes.frames import stream_frame  # noqa: PLC0415
    from penstock._engine.spark.dataframes.options import config_for  # noqa: PLC0415
    from penstock._engine.spark.dataframes.request import ReadRequest, choice_of  # noqa: PLC0415

    request = ReadRequest(
        choice_of(topics),
        starting=starting,
        key=key,
        value=value,
        headers=headers,
        table=table,
        fail_on_data_loss=fail_on_data_loss,
        max_offsets_per_trigger=max_offsets_per_trigger,
        max_records_per_partition=max_records_per_partition,
    )
    return stream_frame(request, config_for(config), spark)


def read(
    topics: Topics,
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    starting: Edge = None,
    ending: Edge = None,
    headers: bool = False,
    table: bool = False,
    max_records_per_partition: int | None = None,
    fail_on_data_loss: bool = True,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the committed records of topics as a batch DataFrame, with the columns and arguments
    of `read_stream`.

    It has all from `starting` (by default the first record) to `ending` (by default the end of each
    partition now). Both are found once, at this call. With `table=True` it has the latest row of
    each key, and none of a key that was deleted.

    Raises:
        StreamsError: a topic does not exist, or has not the offsets.

    ```python
    orders = penstock.spark.read("orders", config, key=serdes.string(), value=serdes.json())
    orders.groupBy("key").count().show()
    ```
    """
    # Importing this module alone needs no Spark.
    from penstock._engine.spark.dataframes.frames import batch_frame  # noqa: PLC0415
    from penstock._engine.spark.dataframes.options import config_for  # noqa: PLC0415
    from penstock._engine.spark.dataframes.request import ReadRequest, choice_of  # noqa: PLC0415

    request = ReadRequest(
        choice_of(topics),
        starting=starting,
        ending=ending,
        key=key,
        value=value,
        headers=headers,
        table=table,
        fail_on_data_loss=fail_on_data_loss,
        max_records_per_partition=max_records_per_partition,
    )
    return batch_frame(request, config_for(config), spark)


def history(
    topic: str,
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    since: Bound = None,
    until: Bound = None,
    spark: SparkSession | None = None,
    records_per_split: int = 250_000,
) -> DataFrame:
    """Return the committed records of a topic up to `until` as a batch DataFrame.

    Its columns are `key`, `value`, `timestamp` (milliseconds), `headers`, `partition` and `offset`.
    `config` says where the cluster is, as for an application; if it is left out, variables such as
    `PENSTOCK_BOOTSTRAP_SERVERS` do. `until` and `since` are a datetime with a time zone,
    milliseconds since the epoch, offsets by partition, or None for as far as the topic goes now.
    The end is found once, at this call; `history_ends` returns it, also of what was written to
    Parquet and read again. A Spark task reads about `records_per_split` records: a partition of
    millions is read by many of them at once.

    Raises:
        StreamsError: there is no such topic, or it has not the offsets.

    ```python
    past = penstock.spark.history("orders", config, until=datetime(2026, 11, 1, tzinfo=UTC))
    past.write.parquet("orders-until-november")
    ```
    """
    # Importing this module alone needs no Spark.
    from penstock._engine.spark.batch import history as engine  # noqa: PLC0415

    return engine.history(
        topic,
        config,
        since=since,
        until=until,
        spark=spark,
        records_per_split=records_per_split,
    )


def history_ends(frame: DataFrame) -> dict[int, int] | None:
    """Return where the history in a DataFrame ends: by partition, the offset of the first record
    that is not in it. None if it does not know.

    ```python
    past = spark.read.parquet("orders-until-november")
    penstock.spark.history_ends(past)  # {0: 1204, 1: 1187}
    ```
    """
    from penstock._engine.spark.batch import history as engine  # noqa: PLC0415

    return engine.history_ends(frame)


def state(
    application: str,
    store: str,
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    topology: Topology | None = None,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    until: Mapping[int, int] | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the rows of a store of an application, running or stopped, as a batch DataFrame.

    It reads the changelog, each partition in a Spark task of its own, as of the last commit of each
    task at this call, or as of the changelog offsets `until`. Columns are `partition`, `key` and
    `value`, `timestamp` where the store keeps one, `window_start` and `window_end`, or `valid_from`
    and `valid_to`. Keys and values have the types of the serdes of `topology`, or of `key` and
    `value`; without them they are bytes. `config` says where the cluster is, as for an application;
    if it is left out, variables such as `PENSTOCK_BOOTSTRAP_SERVERS` do.

    Raises:
        QueryError: there is no such store, or it has no changelog.
        StreamsError: the application has never run, or its changelog has not the offsets.

    ```python
    counts = penstock.spark.state("shop", "counts", config, topology=topology)
    counts.orderBy("value", ascending=False).show(10)
    ```
    """
    # Importing this module alone needs no Spark.
    from penstock._engine.spark.state.table import (  # noqa: PLC0415
        offsets_of,
        scan_of,
        settings_for,
        table_of,
    )

    settings = settings_for(application, config)
    offsets = offsets_of(until)
    scan = scan_of(store, settings, topology=topology, key=key, value=value, until=offsets)
    return table_of(scan, spark)


def write_stream(
    frame: DataFrame,
    topic: str,
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    checkpoint: str | None = None,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    trigger: Mapping[str, Any] | None = None,
    output_mode: str = "append",
    name: str | None = None,
    partitions: int | None = None,
    after_partial_write: Literal["refuse", "again"] = "refuse",
) -> StreamingQuery:
    """Write a streaming DataFrame into a topic, each row once, and return the query, started.

    Columns are `value`, and maybe `key`, `headers`, `timestamp` and `partition`; keys and values
    are binary or string, or what `key` and `value` write. Each batch is cut by the partitions of
    the topic, as Java's producer places keys, and sorted by timestamp within them. Each partition
    of a batch is one transaction: it is atomic for each partition, not for the batch. A batch that
    runs again after a failure writes only the partitions that are missing.

    `config` says where the cluster is, as for an application; if it is left out, variables such as
    `PENSTOCK_BOOTSTRAP_SERVERS` do. `trigger` are the arguments of Spark's `trigger`, for example
    `{"availableNow": True}`. If the topic gets more partitions while a batch is half written,
    `partitions` says into how many that batch was cut; `after_partial_write="again"` writes such a
    batch again.

    Raises:
        ConfigError: an argument is wrong.
        StreamsError: the columns do not fit, or the topic does not exist.

    ```python
    query = penstock.spark.write_stream(frame, "totals", config, checkpoint="checkpoints/totals")
    query.awaitTermination()
    ```
    """
    from penstock._engine.spark.dataframes import sink_options, sink_stream  # noqa: PLC0415

    again = sink_options.parse_after_partial_write(after_partial_write, "after_partial_write")
    settings = sink_options.settings_for(config)
    options = sink_options.SinkOptions(topic, settings, key, value, again)
    query = sink_stream.QueryOptions(checkpoint, trigger, output_mode, name, partitions)
    return sink_stream.start(frame, options, query)


def register(spark: SparkSession) -> None:
    """Make the formats "penstock" and "penstock-state" known to a session. PySpark finds them by
    itself where Penstock is installed; a session that began before needs this call.

    ```python
    penstock.spark.register(spark)
    spark.readStream.format("penstock").option("subscribe", "orders").load()
    ```
    """
    from penstock._engine.spark.dataframes.source import register as register_topics  # noqa: PLC0415
    from penstock._engine.spark.state.source import register as register_state  # noqa: PLC0415

    register_topics(spark)
    register_state(spark)


def backfill(
    topology: Topology,
    config: Mapping[str, Any] | StreamsConfig,
    *,
    until: Until = None,
    inputs: Mapping[str, DataFrame | Typed | str] | None = None,
    live_from: Mapping[str, LiveFrom] | None = None,
    reset: bool = False,
    spark: SparkSession | None = None,
) -> BackfillReport:
    """Process the past of an application as if it had been live: what it would have written is
    written to its topics and changelogs, each record once, and the offsets are committed at which
    it goes on. What was killed is run again with the same arguments and goes on where it was.

    The past of a topic is what Kafka holds `until` a moment (or offsets by topic and partition, or
    now), or a DataFrame (`Typed` if it is not of bytes) or the path of Parquet files in `inputs`.
    Files with the columns `partition` and `offset` say where the application goes on; of others
    `live_from` says it: "earliest", "latest", a moment, or the offset of each partition. `reset`
    first deletes the offsets, the internal topics and the local state of the application.

    Raises:
        StreamsError: the application runs or has a past already, an input does not fit, or the job
            failed.

    ```python
    report = penstock.spark.backfill(topology, config, inputs={"orders": "orders-until-november"})
    KafkaStreams(topology, config).run()  # goes on where the files end
    ```
    """
    from penstock._engine.spark.batch import backfill as engine  # noqa: PLC0415
    from penstock._engine.spark.batch.backfill_inputs import InputOptions  # noqa: PLC0415

    current().answered = True
    settings = config if isinstance(config, StreamsConfig) else StreamsConfig(config)
    wishes = InputOptions(until, inputs or {}, live_from or {})
    return engine.backfill(topology, settings, wishes, reset=reset, spark=spark)
