"""The data source of the query: each batch is a turn, each partition a slot, each row an output.

Each row is a committed record of the application's output topics, so that Spark shows the true
rates. By default it has the record's timestamp and not its bytes: Spark would copy every key and
value three times for a sink that drops them. What is committed, Kafka decides; see
docs/decisions/0006.

Spark starts a Python process to make the source, one to plan it and one to count its turns, each
before the first worker. So this module travels by value and imports the engine where it is used:
only a process that works loads it.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

if TYPE_CHECKING:
    import pyarrow as pa

    from penstock._engine.spark.streaming.run import Run


class Slot(InputPartition):
    """Room for one worker during one turn."""

    def __init__(self, index: int, turn: int) -> None:
        super().__init__(index)
        self.turn = turn


def data_source_for(run: Run, schema: str) -> type[DataSource]:
    """Return the data source of a run; the run is part of its code, where no option shows it."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]
    name, reader = f"penstock_{run.id}", TurnReader(run)

    class PenstockSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return schema

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return reader

    return PenstockSource


class TurnReader(DataSourceStreamReader):
    """Counts turns; Kafka keeps the real offsets."""

    def __init__(self, run: Run) -> None:
        # As bytes: to open them takes more of the engine than to count turns.
        self._shipped, self._address = pickle.dumps(run), pickle.dumps(run.control)

    @property
    def _run(self) -> Run:
        run: Run = pickle.loads(self._shipped)
        return run

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
        from penstock._engine.control.engine_thread import Turn, take_turn  # noqa: PLC0415
        from penstock._engine.spark.streaming.arrow_rows import to_arrow  # noqa: PLC0415

        slot: Any = partition
        # The driver's clock decides, since that of this machine may differ. A slot that had to wait
        # for a core, and a late retry, end at once.
        seconds = self._ask("seconds_left", slot.turn, float)
        if seconds <= 0:
            return
        run, place = self._run, (slot.turn, slot.value)
        turn = Turn(run.id, run.control, seconds, run.lease_seconds, place, run.program, run.rows)
        for rows in take_turn(turn):
            yield to_arrow(rows)

    def _ask(self, verb: str, payload: Any, answer: Any) -> Any:
        from penstock._engine.control.protocol.client import ControlClient  # noqa: PLC0415

        client = ControlClient(pickle.loads(self._address))
        try:
            return client.ask(verb, payload, answer)
        finally:
            client.close()
