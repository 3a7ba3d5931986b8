"""A job's shuffles in plain Python: what Spark does between the workers, for quick comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from conformance.dataframes.feeding import Fed, Inputs
from conformance.dataframes.reference import Outcome, StoredRows
from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.spark.batch.schemas import (
    ARROW_HEADERS,
    CHANGELOG,
    FIRST_ROW,
    POSITION,
    RECORD,
    STORE,
)
from penstock._engine.spark.batch.tasks.deliveries import DeliveryPack
from penstock._engine.spark.batch.tasks.input_runs import make_runs
from penstock._engine.spark.batch.tasks.shown_rows import (
    SENDERS_OF_A_STAGE,
    Show,
    numbered_records,
    show_rows,
)
from penstock._engine.spark.batch.tasks.stage import StagePack, run_tasks
from penstock.record import HeaderPairs

FEED = pa.schema(
    [
        ("input", pa.int32()),
        ("partition", pa.int32()),
        ("sender", pa.int64()),
        ("number", pa.int64()),
        ("run", pa.binary()),
    ]
)
INPUT_ROWS = pa.schema(
    [
        ("timestamp", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("headers", ARROW_HEADERS),
    ]
)
_NAMED = pa.schema([("name", pa.string()), *list(FEED)[1:]])

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
        rows = _opened(self._written, POSITION, show_rows(["next_offset"], "name"))
        return {(row["name"], row["partition"]): row["next_offset"] for row in rows}

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
            # Spark brings them in any order.
            rows.insert(len(rows) // 2, {"input": FIRST_ROW, "partition": number})
            for batch in run_tasks(pack, self._batches(rows)):
                yield from batch.to_pylist()

    def _batches(self, rows: list[Row]) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(rows), self._batch_rows):
            yield pa.RecordBatch.from_pylist(rows[start : start + self._batch_rows], schema=FEED)

    def _fed(self, stage: Stage) -> Iterator[tuple[int | None, Row]]:
        """Return the runs of a stage and which of its partitions each goes to, None for all."""
        for number, topic in enumerate(stage.topics()):
            for run in self._runs(self._inputs.get(topic, ())):
                yield run["partition"], {"input": number, **run}
            for row in _senders(self._written):
                if row["kind"] == RECORD and row["name"] == topic:
                    yield row["partition"], {"input": number, **row}
        of_all = self._plan.global_stores
        for number, topic in enumerate([] if of_all is None else of_all.source_topics()):
            for run in self._runs(self._inputs[topic]):
                yield None, {"input": -1 - number, **run}

    def _runs(self, records: Sequence[Fed]) -> Iterator[Row]:
        """Return the runs of an input, of a few records each, the last ones first."""
        made = []
        for start in range(0, len(records), self._batch_rows):
            rows = [
                {
                    "timestamp": one.timestamp,
                    "key": one.key,
                    "value": one.value,
                    "partition": one.partition,
                    "offset": one.offset,
                    "headers": [{"key": name, "value": held} for name, held in one.headers],
                }
                for one in records[start : start + self._batch_rows]
            ]
            for batch in make_runs(1)([pa.RecordBatch.from_pylist(rows, schema=INPUT_ROWS)]):
                made += [run | {"sender": -1 - start} for run in batch.to_pylist()]
        yield from reversed(made)


def outcome_of(written: list[list[Row]]) -> tuple[Outcome, StoredRows]:
    """Put what the stages have written in order, and the rows of the stores together."""
    topics: Outcome = {}
    stores: StoredRows = {}
    show_changelogs = show_rows(["key", "value", "timestamp", "headers"], "topic", "offset")
    for place, _, batch in numbered_records([_runs_of(written, RECORD)]):
        topics.setdefault(place, []).extend(map(_record, batch.to_pylist()))
    changes = _opened(written, CHANGELOG, show_changelogs)
    for row in sorted(changes, key=lambda row: row["offset"]):
        topics.setdefault((row["topic"], row["partition"]), []).append(_record(row))
    times = ("timestamp", "start", "end")
    for row in _opened(written, STORE, show_rows(["key", "value", *times], "store")):
        found = (row["partition"], row["key"], row["value"], *(row[time] for time in times))
        stores.setdefault(row["store"], []).append(found)
    return topics, {name: sorted(rows, key=lambda row: row[0]) for name, rows in stores.items()}


def _senders(written: list[list[Row]]) -> Iterator[Row]:
    for stage, rows in enumerate(written):
        for row in rows:
            yield row | {"sender": stage * SENDERS_OF_A_STAGE + row["spark_partition"]}


def _runs_of(written: list[list[Row]], kind: int) -> pa.RecordBatch:
    runs = [row for row in _senders(written) if row["kind"] == kind]
    return pa.RecordBatch.from_pylist(runs, schema=_NAMED)


def _opened(written: list[list[Row]], kind: int, show: Show) -> Iterator[Row]:
    for batch in show([_runs_of(written, kind)]):
        yield from batch.to_pylist()


def _record(row: Row) -> tuple[bytes | None, bytes | None, int, HeaderPairs]:
    return row["key"], row["value"], row["timestamp"], _pairs(row.get("headers"))


def _pairs(headers: list[Row] | None) -> tuple[tuple[str, bytes | None], ...]:
    return tuple((header["key"], header["value"]) for header in headers or ())
