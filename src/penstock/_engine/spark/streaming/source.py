"""The data source of the query: each batch is a turn, each partition a slot, each row an output.

Each row is a committed record of the application's output topics, so that Spark shows the true
rates. By default it has the record's timestamp and not its bytes: Spark would copy every key and
value three times for a sink that drops them. What is committed, Kafka decides; see
docs/decisions/0006.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from penstock._engine.control.engine_thread import Turn, take_turn
from penstock._engine.control.program import ShippedProgram
from penstock._engine.control.protocol.client import ControlClient
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.control.result_rows import Rows, Times
from penstock._engine.runtime.records import Output
from penstock._engine.spark.batch.schemas import ARROW_HEADERS, HEADERS
from penstock.settings.values import RowKind

SCHEMAS: dict[RowKind, str] = {
    "timestamp": "timestamp bigint",
    "full": "topic string, partition int, timestamp bigint, key binary, value binary, "
    f"headers {HEADERS}",
}
_TIMESTAMP = pa.schema([("timestamp", pa.int64())])
_FULL = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("timestamp", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", ARROW_HEADERS),
    ]
)


@dataclass(frozen=True)
class Run:
    """One run of an application: the parameters of its slots."""

    id: str
    control: ControlAddress
    lease_seconds: float
    program: ShippedProgram = field(default=ShippedProgram(), repr=False)
    rows: RowKind = "timestamp"


class Slot(InputPartition):
    """Room for one worker during one turn."""

    def __init__(self, index: int, turn: int) -> None:
        super().__init__(index)
        self.turn = turn


def data_source_for(run: Run) -> type[DataSource]:
    """Return the data source of a run; the run is part of its code, where no option shows it."""

    class PenstockSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return f"penstock_{run.id}"

        def schema(self) -> str:
            return SCHEMAS[run.rows]

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return TurnReader(run)

    return PenstockSource


class TurnReader(DataSourceStreamReader):
    """Counts turns; Kafka keeps the real offsets."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def initialOffset(self) -> dict[str, int]:
        return {"turn": 0}

    def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:
        # A query without a next turn is idle, and can be stopped without an aborted job.
        return {"turn": self._ask("next_turn", start["turn"], int)}

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return what Spark shows as `latestOffset` in the progress of the turn that begins now."""
        return dict(self._ask("status", None, dict[str, Any]))

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        turn = end["turn"]
        slots = self._ask("slots", turn, int)
        return [Slot(index, turn) for index in range(slots)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Slot)
        # The driver's clock decides, since that of this machine may differ. A slot that had to wait
        # for a core, and a late retry, end at once.
        seconds = self._ask("seconds_left", partition.turn, float)
        if seconds <= 0:
            return
        run, slot = self._run, (partition.turn, partition.value)
        turn = Turn(run.id, run.control, seconds, run.lease_seconds, slot, run.program, run.rows)
        for rows in take_turn(turn):
            yield to_arrow(rows)

    def _ask(self, verb: str, payload: Any, answer: Any) -> Any:
        client = ControlClient(self._run.control)
        try:
            return client.ask(verb, payload, answer)
        finally:
            client.close()


def to_arrow(rows: Rows) -> pa.RecordBatch:
    """Return rows as an Arrow batch."""
    return _records_to_arrow(rows) if isinstance(rows, list) else _times_to_arrow(rows)


def _times_to_arrow(times: Times) -> pa.RecordBatch:
    """Return timestamps as an Arrow batch, without a copy."""
    column = pa.Array.from_buffers(pa.int64(), len(times), [None, pa.py_buffer(times)])
    return pa.record_batch([column], schema=_TIMESTAMP)


def _records_to_arrow(records: list[Output]) -> pa.RecordBatch:
    topics, partitions, keys, values, times, headers = zip(*records, strict=True)
    # No headers are an empty list: Spark looks at lists that are null again and again.
    pairs = [[{"key": name, "value": data} for name, data in each] for each in headers]
    columns = (topics, partitions, times, keys, values, pairs)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _FULL, strict=True)]
    return pa.record_batch(arrays, schema=_FULL)
