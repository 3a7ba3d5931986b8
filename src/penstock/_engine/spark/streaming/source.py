"""The data source of the query: each batch is a turn, each partition a slot, each row an output.

Each row is a committed record of the application's output topics, so that Spark shows the true
rates. It has the record's timestamp and not its bytes: Spark would copy every key and value three
times for a sink that drops them. What is committed, Kafka decides; see docs/decisions/0006.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from penstock._clock import SystemClock
from penstock._engine.control.engine_thread import Program, Times, Turn, take_turn
from penstock._engine.control.protocol.client import ControlClient
from penstock._engine.control.protocol.messages import ControlAddress

SCHEMA = "timestamp bigint"
_ARROW = pa.schema([("timestamp", pa.int64())])


@dataclass(frozen=True)
class Run:
    """One run of an application: the parameters of its slots."""

    id: str
    control: ControlAddress
    turn_seconds: float
    lease_seconds: float
    program: Program = field(default=Program(), repr=False)


class Slot(InputPartition):
    """Room for one worker during one turn. `deadline` is absolute: a late retry ends at once."""

    def __init__(self, index: int, deadline: float, turn: int = 0) -> None:
        super().__init__(index)
        self.deadline = deadline
        self.turn = turn


def data_source_for(run: Run) -> type[DataSource]:
    """Return the data source of a run; the run is part of its code, where no option shows it."""

    class PenstockSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return f"penstock_{run.id}"

        def schema(self) -> str:
            return SCHEMA

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
        return {"turn": start["turn"] + 1}

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return what Spark shows as `latestOffset` in the progress of the turn that begins now."""
        return dict(self._ask("status", None, dict[str, Any]))

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        turn = end["turn"]
        slots = self._ask("slots", turn, int)
        deadline = SystemClock().now_ms() / 1000 + self._run.turn_seconds
        return [Slot(index, deadline, turn) for index in range(slots)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Slot)
        seconds = self._seconds_left(partition)
        if seconds <= 0:
            return
        run, slot = self._run, (partition.turn, partition.value)
        turn = Turn(run.id, run.control, seconds, run.lease_seconds, slot, run.program)
        for times in take_turn(turn):
            yield to_arrow(times)

    def _seconds_left(self, slot: Slot) -> float:
        """Return how long the turn lasts for this slot. Only a retry comes late: if a first attempt
        seems to, the clocks of this machine and of the driver differ.
        """
        seconds = slot.deadline - SystemClock().now_ms() / 1000
        context = TaskContext.get()
        is_retry = context is not None and context.attemptNumber() > 0
        if is_retry or 0 < seconds <= self._run.turn_seconds:
            return seconds
        return self._run.turn_seconds if context is not None else seconds

    def _ask(self, verb: str, payload: Any, answer: Any) -> Any:
        client = ControlClient(self._run.control)
        try:
            return client.ask(verb, payload, answer)
        finally:
            client.close()


def to_arrow(times: Times) -> pa.RecordBatch:
    """Return the timestamps as an Arrow batch, without a copy."""
    column = pa.Array.from_buffers(pa.int64(), len(times), [None, pa.py_buffer(times)])
    return pa.record_batch([column], schema=_ARROW)
