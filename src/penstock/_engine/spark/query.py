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
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock._engine.kafka.notices import NoticeBoard
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.control import ControlServer, Instruction, Report
from penstock._engine.spark.memory import warn_of_memory
from penstock._engine.spark.seats import Seats
from penstock._engine.spark.session import log_path, session_for
from penstock._engine.spark.shipping import pack
from penstock._engine.spark.source import Run, data_source_for
from penstock._engine.spark.standbys import choose_standbys
from penstock._engine.spark.status import GONE, RecordTally, status
from penstock.clock import SystemClock, monotonic, new_id

_log = logging.getLogger(__name__)

_POOL_VARIABLE = "PENSTOCK_RUN"


class ApplicationQuery:
    """Hosts an application on Spark; `on_report` hears of every worker's reports."""

    def __init__(
        self, blueprint: Blueprint, spark: SparkSession | None, on_report: Callable[[Report], None]
    ) -> None:
        self._config = blueprint.config
        self._tasks = [task.id for task in blueprint.tasks]
        self._on_report = on_report
        self._stop = False
        self._paused = False
        self._members: dict[str, Report] = {}
        self._records = RecordTally()
        self._lock = threading.Lock()
        self._seats = Seats(self._config.num_stream_threads, self._capacity)
        payload = pack(blueprint)
        self._spark, self._owned = session_for(self._config, spark)
        context = self._spark.sparkContext
        warn_of_memory(dict(context.getConf().getAll()), blueprint, self._seats.count())
        host = context.getConf().get("spark.driver.host", "127.0.0.1")
        handlers = {
            "blueprint": lambda _: payload,
            "paths": lambda _: [os.path.abspath(path) for path in sys.path],
            "report": self._report,
            "slots": self._seats.open_turn,
            "status": lambda _: self._status(),
        }
        self._control = ControlServer(str(host), handlers, self._hung_up)
        self._notices = NoticeBoard(self._config, blueprint.task_topic)
        self._checkpoint = tempfile.mkdtemp(prefix="penstock-checkpoint-")
        self._query = self._start(
            Run(
                new_id(),
                self._control.address,
                self._config.turn_ms / 1000,
                self._config.lease_ms / 1000,
            )
        )

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

    def add_slot(self) -> int | None:
        """Have one slot more from the next turn on; give how many, None if there is no room."""
        return self._seats.add()

    def remove_slot(self) -> int | None:
        """Have one slot less from the next turn on; give how many, None if it is the last one."""
        return self._seats.remove()

    def post_shutdown(self, reason: str) -> None:
        """Ask all instances of the application to end."""
        self._notices.post_shutdown(reason)

    def shutdown_reason(self) -> str | None:
        """Give why an instance of the application has asked all to end, None if none has."""
        return None if self._stop else self._notices.shutdown_reason()

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
        self._notices.close()
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
            return [member for member, report in self._members.items() if report.state not in GONE]

    def _start(self, run: Run) -> StreamingQuery:
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

    def _capacity(self) -> int:
        """Give how many slots the executors of this moment can run at once.

        Not the default parallelism, which is a setting, and at least two.
        """
        scala_context = self._spark.sparkContext._jsc.sc()
        profile = scala_context.resourceProfileManager().defaultResourceProfile()
        return int(scala_context.maxNumConcurrentTasks(profile))

    def _report(self, report: Any) -> Instruction:
        assert isinstance(report, Report)
        now = monotonic()
        if report.state == "starting":
            stop = self._stop or not self._seats.may_start(now)
            return Instruction(stop=stop, paused=self._paused)
        with self._lock:
            self._members[report.member_id] = report
            self._records.hear(report)
            standbys = self._standbys_of(report.member_id)
        self._on_report(report)
        return Instruction(
            stop=self._stop or self._is_surplus(report, now), paused=self._paused, standbys=standbys
        )

    def _is_surplus(self, report: Report, now: float) -> bool:
        if report.state not in GONE:
            return self._seats.is_surplus(report.worker, *report.seat, now)
        self._seats.worker_gone(report.worker)
        return False

    def _standbys_of(self, member_id: str) -> tuple[str, ...]:
        replicas = self._config.num_standby_replicas
        if not replicas:
            return ()
        return choose_standbys(self._tasks, self._members, replicas).get(member_id, ())

    def _hung_up(self, last: Report) -> None:
        """Hear that a worker's connection has ended: without a last word, the worker has died."""
        with self._lock:
            known = self._members.get(last.member_id)
            if known is None or known.pid != last.pid or known.state in GONE:
                return
            lost = replace(known, state="lost", tasks={}, printed=(), restore_events=())
            self._members[last.member_id] = lost
        self._seats.worker_gone(last.worker)
        self._on_report(lost)

    def _status(self) -> dict[str, Any]:
        with self._lock:
            now = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC)
            return {
                "asOf": now.isoformat(timespec="milliseconds"),
                **status(self._members),
                **self._records.turn(),
            }
