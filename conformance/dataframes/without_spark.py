"""A job's shuffles in plain Python: what Spark does between the workers, for quick comparisons."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from conformance.dataframes.feeding import Inputs
from conformance.dataframes.reference import Outcome, StoredRows
from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.spark.batch.schemas import (
    CHANGELOG,
    FIRST_ROW,
    POSITION,
    RECORD,
    STORE,
    WRITTEN_ARROW,
)
from penstock._engine.spark.batch.tasks.deliveries import DeliveryPack
from penstock._engine.spark.batch.tasks.stage import StagePack, run_tasks

FEED = pa.schema(
    [
        ("input", pa.int32()),
        *(
            (name, WRITTEN_ARROW.field(name).type if name != "offset" else pa.int64())
            for name in ("partition", "offset", "timestamp", "key", "value", "headers")
        ),
    ]
)

Row = dict[str, Any]


class LocalJob:
    """A job whose stages run in this process; rows cross in batches of `batch_rows`."""

    def __init__(
        self,
        plan: JobPlan,
        inputs: Inputs,
        records_per_commit: int = 1,
        batch_rows: int = 3,
        delivery: DeliveryPack | None = None,
    ) -> None:
        self._plan = plan
        self._inputs = inputs
        self._batch_rows = batch_rows
        self._records_per_commit = records_per_commit
        self._delivery = delivery
        self._written: list[list[Row]] = []
        for stage in plan.stages:
            self._written.append(list(self._run(stage)))

    def outcome(self) -> tuple[Outcome, StoredRows]:
        """Return what was written and what is stored, as the reference does."""
        return outcome_of(self._written)

    def positions(self) -> dict[tuple[str, int], int]:
        """Return the next offset of each partition that was read."""
        return {
            (row["name"], row["partition"]): row["sequence"]
            for rows in self._written
            for row in rows
            if row["kind"] == POSITION
        }

    def _run(self, stage: Stage) -> Iterator[Row]:
        keeps_changelogs = self._delivery is None
        pack = StagePack(
            self._plan,
            stage.number,
            0,
            self._records_per_commit,
            keeps_changelogs,
            self._delivery,
        )
        fed = list(self._fed(stage))
        for number in range(1 if stage.is_cycle else len(stage.tasks)):
            rows = [row for target, row in fed if stage.is_cycle or target in {number, None}]
            rows.sort(key=functools.cmp_to_key(_by_place))
            first = {"input": FIRST_ROW, "partition": number}
            for batch in run_tasks(pack, self._batches([first, *rows])):
                yield from batch.to_pylist()

    def _batches(self, rows: list[Row]) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(rows), self._batch_rows):
            yield pa.RecordBatch.from_pylist(rows[start : start + self._batch_rows], schema=FEED)

    def _fed(self, stage: Stage) -> Iterator[tuple[int | None, Row]]:
        """Return the rows of a stage and which of its partitions each goes to, None for all."""
        for number, topic in enumerate(stage.topics()):
            for one in self._inputs.get(topic, ()):
                place = (one.offset, 0, 0, 0)
                yield one.partition, _row(number, one.partition, one.offset, place, _of(one))
            for before, rows in enumerate(self._written):
                for row in rows:
                    if row["kind"] == RECORD and row["name"] == topic:
                        place = (row["rank"], before, row["spark_partition"], row["sequence"])
                        yield row["partition"], _row(number, row["partition"], None, place, row)
        of_all = self._plan.global_stores
        for number, topic in enumerate([] if of_all is None else of_all.source_topics()):
            for one in self._inputs[topic]:
                place = (one.offset, 0, 0, 0)
                yield None, _row(-1 - number, one.partition, one.offset, place, _of(one))


def outcome_of(written: list[list[Row]]) -> tuple[Outcome, StoredRows]:
    """Put what the stages have written in order, and the rows of the stores together."""
    topics: Outcome = {}
    stores: StoredRows = {}
    rows = [(number, row) for number, rows in enumerate(written) for row in rows]
    rows.sort(
        key=lambda one: (one[1]["rank"], one[0], one[1]["spark_partition"], one[1]["sequence"])
    )
    for _, row in rows:
        if row["kind"] in {RECORD, CHANGELOG}:
            key, value = _bytes(row["key"]), _bytes(row["value"])
            record = (key, value, row["timestamp"], _pairs(row["headers"]))
            topics.setdefault((row["name"], row["partition"]), []).append(record)
        elif row["kind"] == STORE:
            times = (row["timestamp"], row["start"], row["end"])
            found = (row["partition"], _bytes(row["key"]), _bytes(row["value"]), *times)
            stores.setdefault(row["name"], []).append(found)
    return topics, {name: sorted(rows, key=lambda row: row[0]) for name, rows in stores.items()}


def _bytes(data: bytes | bytearray | None) -> bytes | None:
    return None if data is None else bytes(data)


def _of(record: Any) -> Row:
    headers = [{"key": name, "value": content} for name, content in record.headers]
    return {
        "timestamp": record.timestamp,
        "key": record.key,
        "value": record.value,
        "headers": headers or None,
    }


def _row(
    number: int, partition: int, offset: int | None, place: tuple[int, ...], record: Row
) -> Row:
    names = ("timestamp", "key", "value", "headers")
    row = {"input": number, "partition": partition, "offset": offset, "place": place}
    return row | {name: record[name] for name in names}


def _by_place(one: Row, other: Row) -> int:
    mine = (one["input"], one["partition"], one["place"])
    theirs = (other["input"], other["partition"], other["place"])
    return (mine > theirs) - (mine < theirs)


def _pairs(headers: list[Row] | None) -> tuple[tuple[str, bytes | None], ...]:
    return tuple((header["key"], _bytes(header["value"])) for header in headers or ())
