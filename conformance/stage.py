"""One Spark query that hosts the cases, one after the other, in a Python worker that stays warm.

A query of its own costs a case ten seconds: five Python processes start for it. Here all but the
query is the case's own: its blueprint travels to the worker, its engine runs in turns under a
lease, reports to its own control server and ends when its application is closed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from time import sleep
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.query import StreamingQuery

from penstock import Topology
from penstock._application_hosts import Launch
from penstock._clock import monotonic, new_id
from penstock._engine.control.application_host import Surroundings
from penstock._engine.control.engine_thread import Turn, take_turn
from penstock._engine.control.protocol.client import ControlClient
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.http.clients.driver_client import HttpDriverClient, own_driver
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.session import EarlySession
from penstock._engine.spark.streaming.arrow_rows import SCHEMAS, to_arrow
from penstock._engine.spark.streaming.query import ApplicationQuery
from penstock._engine.spark.streaming.run import Run
from penstock._engine.spark.streaming.source import TurnReader
from penstock.application import KafkaStreams

_TURN_SECONDS = 20.0
_ASK_SECONDS = 0.03
_WATCH_SECONDS = 0.2
_START_SECONDS = 600.0


class Stage:
    """Hosts one application at a time: `with Stage(spark) as stage: stage.application(...)`."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._run: Run | None = None
        host = str(spark.sparkContext.getConf().get("spark.driver.host", "127.0.0.1"))
        self._control = ControlServer(host, self._answers())
        self._own_id, self._worn = "", False
        self._asked = threading.Event()
        self._query = self._open()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def application(self, topology: Topology, config: Mapping[str, Any]) -> KafkaStreams:
        """Make an application that runs here."""
        return _HostedStreams(self, topology, config)

    def host(self, run: Run) -> _Part:
        """Have the worker run an application from now on."""
        if self._run is not None:
            msg = "the application before must be closed first; a stage hosts one at a time"
            raise RuntimeError(msg)
        if self._worn or not self._query.isActive:
            self._query.stop()
            self._query = self._open()
        self._run = run
        return _Part(self, self._query)

    def clear(self) -> None:
        """Have the worker wait for the next application."""
        self._run = None

    def wear_out(self) -> None:
        """Have another worker for the next application: this one is still busy with the last."""
        self._worn = True

    def close(self) -> None:
        """End the query."""
        self._query.stop()
        self._control.close()

    def _answers(self) -> dict[str, Verb]:
        return {
            "run": Verb(str, self._tell_run),
            "next_turn": Verb(int, lambda last: last + 1),
            "slots": Verb(int, lambda _: 1),
            "status": Verb(None, lambda _: {}),
        }

    def _tell_run(self, own_id: str) -> Run | None:
        if own_id != self._own_id:
            return None  # a worker of an earlier query that is about to end
        self._asked.set()
        return self._run

    def _open(self) -> StreamingQuery:
        """Start the query, and return when its worker waits for an application."""
        until = monotonic() + _START_SECONDS
        self._worn = False
        while True:
            self._asked.clear()
            query = self._start()
            while not self._asked.wait(_WATCH_SECONDS) and query.isActive:
                pass
            if self._asked.is_set():
                return query
            # Spark gives a Python process ten seconds to start, which a busy machine may not.
            if monotonic() > until:
                msg = f"the query that hosts the cases did not start: {query.exception()}"
                raise RuntimeError(msg)

    def _start(self) -> StreamingQuery:
        own = Run(new_id(), self._control.address, lease_seconds=0)
        self._own_id = own.id

        class StageSource(DataSource):
            @classmethod
            def name(cls) -> str:
                return f"conformance_stage_{own.id}"

            def schema(self) -> str:
                return SCHEMAS["timestamp"]

            def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: ARG002
                return _StageReader(own)

        self.spark.dataSource.register(StageSource)
        frame = self.spark.readStream.format(StageSource.name()).load()
        # Without a place of its own, Spark takes a temporary one for the checkpoint.
        return frame.writeStream.format("noop").start()


class _Part:
    """What an application knows of the query that hosts it."""

    def __init__(self, stage: Stage, query: StreamingQuery) -> None:
        self._stage = stage
        self._query = query

    @property
    def isActive(self) -> bool:
        return bool(self._query.isActive)

    @property
    def status(self) -> dict[str, bool]:
        """The turns of the query are not the application's."""
        return {"isTriggerActive": False}

    def exception(self) -> Any:
        return self._query.exception()

    def stop(self) -> None:
        self._stage.clear()


class _HostedStreams(KafkaStreams):
    def __init__(self, stage: Stage, topology: Topology, config: Mapping[str, Any]) -> None:
        super().__init__(topology, config, spark=stage.spark)
        self._stage = stage

    def _start_query(self, blueprint: Blueprint, launch: Launch) -> ApplicationQuery:  # noqa: ARG002
        return _HostedQuery(self._stage, blueprint, self._supervision.take_report)


class _HostedQuery(ApplicationQuery):
    def __init__(
        self, stage: Stage, blueprint: Blueprint, on_report: Callable[[Report], None]
    ) -> None:
        self._stage = stage
        own, client = own_driver(blueprint.config, None), HttpDriverClient(blueprint.config)
        session = EarlySession(blueprint.config, stage.spark)
        super().__init__(blueprint, session, Surroundings(on_report, own, client))

    def close(self, timeout_seconds: float) -> bool:
        finished = super().close(timeout_seconds)
        if not finished:
            self._stage.wear_out()
        return finished

    def _start(self, run: Run) -> Any:
        return self._stage.host(run)


class _StageReader(TurnReader):
    """Runs the application that is on in the slot of a turn."""

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:  # noqa: ARG002
        client = ControlClient(self._run.control)
        ended, until = None, monotonic() + _TURN_SECONDS
        try:
            while (left := until - monotonic()) > 0:
                run: Run | None = client.ask("run", self._run.id, Run | None)
                if run is None or run.id == ended:
                    sleep(_ASK_SECONDS)
                    continue
                turn = Turn(run.id, run.control, left, run.lease_seconds, program=run.program)
                for rows in take_turn(turn):
                    yield to_arrow(rows)
                # It comes back before its time only if the engine is done.
                ended = run.id
        finally:
            client.close()
