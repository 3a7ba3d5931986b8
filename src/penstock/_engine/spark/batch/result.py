"""The result of a bounded run: its sink topics and its stores, as DataFrames."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from penstock._engine.planner.plan import StorePlan
from penstock._engine.spark.batch.arrow_map import map_in_arrow
from penstock._engine.spark.batch.columns import HELD_BY_OPERATORS, TIMES_OF_STORES, as_time
from penstock._engine.spark.batch.job import Job
from penstock._engine.spark.batch.plan_serdes import plans_of, sink_serdes
from penstock._engine.spark.batch.progress import OnProgress, compute
from penstock._engine.spark.shipping.shipping import dumps
from penstock._engine.spark.state.cells import cell_type, is_kept_as_bytes
from penstock.errors import StreamsError
from penstock.serdes import Serde
from penstock.serdes.plain import StringSerde


class Result(Mapping[str, DataFrame]):
    """The outputs of a bounded run by topic; they are lazy, reading rows computes them.

    The executors keep what was computed on disk, so that several outputs do not compute it again;
    `unpersist` deletes it.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def __getitem__(self, topic: str) -> DataFrame:
        """Return the records of a sink topic: key, value, timestamp, headers, partition, offset."""
        plan = self._job.plan
        if topic in plan.hidden_topics or (topic not in plan.sinks and not plan.has_routed_sinks):
            known = ", ".join(map(repr, plan.sinks)) or "none"
            msg = f"the topology does not write to topic {topic!r}; its sink topics: {known}"
            raise KeyError(msg)
        return self._job.records(topic)

    def __iter__(self) -> Iterator[str]:
        return iter(self._job.plan.sinks)

    def __len__(self) -> int:
        return len(self._job.plan.sinks)

    def records(self) -> DataFrame:
        """Return the records of all sink topics, with a column `topic`, also of topics that only
        records name.
        """
        return self._job.records()

    def typed(self, topic: str) -> DataFrame:
        """Return the records of a sink topic with keys and values as the types of its serdes, as
        `read_stream` shows them: numbers, text, structs of known documents and of windowed keys.
        """
        return _decoded(self[topic], sink_serdes(topic, self._job.plan), f"topic {topic!r}")

    def store(self, name: str) -> DataFrame:
        """Return the final rows of a store: partition, key and value as the types of its serdes,
        timestamp where it keeps one; of windows and sessions window_start and window_end, of
        versions valid_from and valid_to, null while it is the newest.
        """
        plan = self._store_plan(name)
        kind = plan.builder.kind
        if kind in HELD_BY_OPERATORS:
            msg = (
                f"store {name!r} holds what {HELD_BY_OPERATORS[kind]} keeps for itself: it has no "
                "rows that could be shown"
            )
            raise StreamsError(msg)
        config, title = self._job.plan.config, f"state store {name!r}"
        rows = self._job.store_rows(name)
        shown = _decoded(
            rows.select("partition", "key", "value", "timestamp", "start", "end"),
            {
                "key": config.key_serde(plan.builder.key, title),
                "value": config.value_serde(plan.builder.value, title),
            },
            title,
        )
        times = [as_time(column).alias(shown_as) for column, shown_as in TIMES_OF_STORES[kind]]
        return shown.select("partition", "key", "value", *times)

    def compute(self, on_progress: OnProgress | None = None) -> Result:
        """Compute everything now, stage by stage, and persist it; Spark's UI shows each stage by
        its name. `on_progress` is called with the progress twice a second: `print` will do.
        """
        compute(self._job, on_progress)
        return self

    def unpersist(self) -> None:
        """Delete what was computed."""
        self._job.unpersist()

    def _store_plan(self, name: str) -> StorePlan:
        plans = plans_of(self._job.plan)
        stores = {name: store for one in plans for name, store in one.stores.items()}
        if name not in stores:
            known = ", ".join(map(repr, sorted(stores))) or "none"
            msg = f"the topology has no store {name!r}; its stores: {known}"
            raise StreamsError(msg)
        return stores[name]


def _decoded(frame: DataFrame, serdes: Mapping[str, Serde[Any]], title: str) -> DataFrame:
    """Return a frame with columns of bytes converted to the types of their serdes."""
    by_worker = {}
    for column, serde in serdes.items():
        if isinstance(serde, StringSerde):
            frame = frame.withColumn(column, F.col(column).cast("string"))
        elif not is_kept_as_bytes(serde):
            by_worker[column] = serde
    if not by_worker:
        return frame
    types = {column: cell_type(serde).spark for column, serde in by_worker.items()}
    schema = ", ".join(
        f"`{field.name}` {types.get(field.name, field.dataType.simpleString())}"
        for field in frame.schema.fields
    )
    return map_in_arrow(frame, _decoding(dumps(by_worker), title), schema, "decode")


def _decoding(
    packed: bytes, title: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        serdes: dict[str, Serde[Any]] = pickle.loads(packed)
        for batch in batches:
            made = batch
            for name, serde in serdes.items():
                column = _cells(batch.column(name), serde, f"{title}: a {name}")
                made = made.set_column(made.schema.get_field_index(name), name, column)
            yield made

    return decode


def _cells(column: pa.Array, serde: Serde[Any], title: str) -> pa.Array:
    shown = cell_type(serde)
    try:
        values = [None if data is None else serde.decode(data) for data in column.to_pylist()]
        cells = [None if value is None else shown.to_cell(value) for value in values]
        return pa.array(cells, shown.arrow)
    except Exception as error:
        msg = f"{title} cannot be read with {serde!r}: {error}; take the bytes instead of typed"
        raise StreamsError(msg) from error
