"""One application as one Structured Streaming query."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.control import ControlServer, Instruction, Report
from penstock._engine.spark.session import log_path, session_for
from penstock._engine.spark.shipping import pack
from penstock._engine.spark.source import Run, data_source_for
from penstock.clock import monotonic, new_id

_log = logging.getLogger(__name__)

_POOL_VARIABLE = "PENSTOCK_RUN"


class ApplicationQuery:
    """Hosts an application on Spark; `on_report` hears of every worker's reports."""

    def __init__(
        self, blueprint: Blueprint, spark: SparkSession | None, on_report: Callable[[Report], None]
    ) -> None:
        self._config = blueprint.config
        self._on_report = on_report
        self._stop = False
        self._paused = False
        self._members: dict[str, Report] = {}
        self._lock = threading.Lock()
        payload = pack(blueprint)
        self._spark, self._owned = session_for(self._config, spark)
        context = self._spark.sparkContext
        host = context.getConf().get("spark.driver.host", "127.0.0.1")
        handlers = {
            "blueprint": lambda _: payload,
            "paths": lambda _: [os.path.abspath(path) for path in sys.path],
            "report": self._report,
            "slots": lambda _: self._slots(),
        }
        self._control = ControlServer(str(host), handlers)
        self._checkpoint = tempfile.mkdtemp(prefix="penstock-checkpoint-")
        self._query = self._start()

    @property
    def query(self) -> StreamingQuery:
        """Spark's own handle."""
        return self._query

    def members(self) -> dict[str, Report]:
        """Give the last report of each worker."""
        with self._lock:
            return dict(self._members)

    def pause(self, paused: bool) -> None:
        """Let workers stop or go on processing; they keep their tasks."""
        self._paused = paused

    def failure(self) -> str | None:
        """Give why the query ended, None if it did not end by itself."""
        if self._stop:
            return None
        try:
            if self._query.isActive:
                return None
            error = self._query.exception()
        except Exception as lost:
            return f"Spark's JVM is gone ({type(lost).__name__}); {self._where_to_look()}"
        if error is None:
            return "the query was stopped"
        # What comes after the first lines is the JVM's stack.
        told = str(error).partition("\n\nJVM stacktrace")[0].partition("\n\tat ")[0].strip()
        return f"{told}; {self._where_to_look()}"

    def close(self, timeout_seconds: float) -> bool:
        """Ask the workers to finish, wait, then stop the query. Tell whether all finished."""
        self._stop = True
        until = monotonic() + timeout_seconds
        waiter = threading.Event()
        while monotonic() < until and self._is_active() and self._unfinished():
            waiter.wait(0.05)
        finished = not self._unfinished()
        with suppress(Exception):
            self._query.stop()
        self._control.close()
        shutil.rmtree(self._checkpoint, ignore_errors=True)
        if self._owned:
            with suppress(Exception):
                self._spark.stop()
        return finished

    def _is_active(self) -> bool:
        try:
            return bool(self._query.isActive)
        except Exception:  # its JVM is gone
            return False

    def _where_to_look(self) -> str:
        if self._owned and self._config.spark_log is None:
            return f"more in {log_path(self._config)}"
        return "more in Spark's log"

    def _unfinished(self) -> list[str]:
        with self._lock:
            return [
                member
                for member, report in self._members.items()
                if report.state not in {"closed", "failed"}
            ]

    def _start(self) -> StreamingQuery:
        run = Run(
            new_id(),
            self._control.address,
            self._config.turn_ms / 1000,
            self._config.lease_ms / 1000,
        )
        source = data_source_for(run)
        environment = self._spark.sparkContext.environment
        # Workers with another environment are another pool: a competing Python job of this session
        # then does not get ours, nor we its.
        environment[_POOL_VARIABLE] = run.id
        try:
            self._spark.dataSource.register(source)
            frame = self._spark.readStream.format(source.name()).load()
            writer = frame.writeStream.format("noop").queryName(self._config.application_id)
            return writer.option("checkpointLocation", self._checkpoint).start()
        finally:
            environment.pop(_POOL_VARIABLE, None)

    def _slots(self) -> int:
        cores = int(self._spark.sparkContext.defaultParallelism)
        return max(1, self._config.num_stream_threads or cores)

    def _report(self, report: Any) -> Instruction:
        assert isinstance(report, Report)
        if report.state != "starting":
            with self._lock:
                self._members[report.member_id] = report
            self._on_report(report)
        return Instruction(stop=self._stop, paused=self._paused)
