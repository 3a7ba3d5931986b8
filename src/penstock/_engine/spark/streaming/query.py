"""One application as one Structured Streaming query."""

from __future__ import annotations

import json
import re
import threading
from contextlib import suppress
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from penstock._clock import monotonic, new_id
from penstock._engine.control.application_host import ApplicationHost, Surroundings
from penstock._engine.control.program import ShippedProgram
from penstock._engine.control.slot_plan import SlotPlan, SlotRule
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.held_folder import CHECKPOINT, HeldFolder
from penstock._engine.spark.known_sources import register_known
from penstock._engine.spark.lost_processes import (
    EXITED,
    NOT_STARTED,
    did_not_start,
    lost_its_offsets,
    why_not_started,
)
from penstock._engine.spark.session import EarlySession, log_path, stop_owned
from penstock._engine.spark.shipping.shipping import pack
from penstock._engine.spark.streaming.arrow_rows import SCHEMAS
from penstock._engine.spark.streaming.early_turn import (
    EARLY_TURN,
    begin_early,
    can_begin_early,
)
from penstock._engine.spark.streaming.python_memory import warn_of_memory
from penstock._engine.spark.streaming.run import Run
from penstock._engine.spark.streaming.session_load import (
    capacity_of,
    in_pool,
    others_wait,
)
from penstock._engine.spark.streaming.source import data_source_for
from penstock._engine.spark.streaming.worker_pools import WorkerPool
from penstock.settings import StreamsConfig

_COUNTER_LOST = "the Python process that counts the turns died"
# How often other jobs of the session are looked at; what the look costs Spark is under 10 ms.
_LOOK_SECONDS = 0.5
# How long a stopped query may take to end its last turn, whose workers have finished.
_LAST_TURN_SECONDS = 10.0


class ApplicationQuery(ApplicationHost[ShippedProgram]):
    """Runs an application on Spark."""

    def __init__(
        self,
        blueprint: Blueprint,
        early: EarlySession,
        surroundings: Surroundings,
    ) -> None:
        config = blueprint.config
        # A program that cannot be shipped is refused before there is a session.
        program = self._pack(blueprint)
        surroundings.on_stage(f"STARTING SPARK{' FOR THE FIRST TIME' if early.is_first else ''}")
        self._spark, self._owned = early.take()
        if self._owned:
            register_known(self._spark)
        context = self._spark.sparkContext
        self._looked_at = 0.0
        self._has_begun = False
        self._has_worked = False
        self._tasks = tuple(task.id for task in blueprint.tasks)
        slots = self._plan_slots(config)
        warn_of_memory(dict(context.getConf().getAll()), blueprint, slots.count())
        address = str(context.getConf().get("spark.driver.host", "127.0.0.1"))
        super().__init__(blueprint, surroundings, slots, address)
        self._pool = WorkerPool()
        surroundings.on_stage("STARTING QUERY")
        try:
            self._begin(blueprint, program)
        except BaseException:
            self._control.close()
            self._notices.close()
            self._release(finished=False)
            raise
        surroundings.on_stage("STARTING WORKERS")

    def _plan_slots(self, config: StreamsConfig) -> SlotPlan:
        context = self._spark.sparkContext
        rule = SlotRule(
            leaves_a_core=not (self._owned or config.takes_all_cores),
            useful=lambda: len(self._tasks) * (1 + config.num_standby_replicas),
        )
        return SlotPlan(
            config.slots_wanted, lambda: capacity_of(context), rule, config.turn_ms / 1000
        )

    def _pack(self, blueprint: Blueprint) -> ShippedProgram:
        return ShippedProgram(pack(blueprint))

    def _start_workers(self, program: ShippedProgram) -> None:
        self._checkpoint = HeldFolder(CHECKPOINT)
        address, lease_seconds = self._control.address, self._config.lease_ms / 1000
        run = Run(new_id(), address, lease_seconds, program, self._config.spark_rows)
        try:
            self._query = self._start(run)
        except BaseException:
            # Workers may have begun already; interrupted as well, they commit what they did.
            self._stop = True
            self._wait_for_workers(_LAST_TURN_SECONDS)
            raise

    @property
    def query(self) -> StreamingQuery:
        """Spark's own handle."""
        return self._query

    def look_at_session(self) -> None:
        """End the turn if it has all cores and other jobs wait for one; twice a second at most."""
        now = monotonic()
        if now - self._looked_at < _LOOK_SECONDS or self._stop:
            return
        self._looked_at = now
        with suppress(Exception):  # its JVM is gone; `failure` says so
            if others_wait(self._spark.sparkContext):
                self._slots.give_way(now)

    def failure(self) -> str | None:
        """Return why the query ended, None if it did not end by itself."""
        if self._stop:
            return None
        try:
            if self._query.isActive:
                self._active_at = monotonic()
                self._has_worked = self._has_worked or bool(self.members())
                return None
            error = self._query.exception()
        except Exception as lost:
            return f"Spark's JVM is gone ({type(lost).__name__}); {self._where_to_look()}"
        if error is None:
            return "the query was stopped"
        if lost_its_offsets(error):
            return f"{_COUNTER_LOST}; {self._where_to_look()}"
        # After the first lines comes the JVM's stack.
        message = str(error).partition("\n\nJVM stacktrace")[0].partition("\n\tat ")[0].strip()
        if did_not_start(message):
            message = why_not_started(self._spark.sparkContext.pythonExec)
        return f"{message}; {self._where_to_look()}"

    def lost_its_workers(self, failure: str) -> bool:
        """Return whether Spark ended the query because Python processes died too often, or did not
        start in time.
        """
        lost = any(one in failure for one in (EXITED, NOT_STARTED, _COUNTER_LOST))
        return lost and not self._closed

    def never_began(self, failure: str) -> bool:
        """Return whether its processes did not even start, now or before: where some did, the
        machine is busy, and it may not be so later.
        """
        return did_not_start(failure) and not self._has_worked

    def progress(self) -> dict[str, Any] | None:
        """Return Spark's last progress report, None if there is none yet."""
        progress = self._query.lastProgress
        if progress is None:
            return None
        report: dict[str, Any] = json.loads(progress.json)
        return report

    def _end_workers(self, *, finished: bool) -> bool:
        if finished:
            self._end_turn()
        with suppress(Exception):
            self._query.stop()
        self._checkpoint.remove()
        return finished

    def _end_turn(self) -> None:
        """Wait until the turn is over, and none follows: stopped in its middle, Spark logs an
        aborted job as an error.
        """
        until = monotonic() + _LAST_TURN_SECONDS
        waiter = threading.Event()
        with suppress(Exception):  # its JVM is gone
            while self._query.status["isTriggerActive"] and monotonic() < until:
                waiter.wait(0.02)

    def _release(self, *, finished: bool) -> None:
        if self._owned:
            with suppress(Exception):
                stop_owned(self._spark)
        elif finished:
            self._pool.end(self._spark.sparkContext)

    def _is_active(self) -> bool:
        try:
            return bool(self._query.isActive)
        except Exception:  # its JVM is gone
            return False

    def _where_to_look(self) -> str:
        if self._owned and self._config.spark_log is None:
            return f"more in {log_path(self._config)}"
        return "more in Spark's log"

    def _start(self, run: Run) -> StreamingQuery:
        source = data_source_for(run, SCHEMAS[run.rows])
        context = self._spark.sparkContext
        # Later the session may have other jobs.
        if self._owned and not self._has_begun and can_begin_early(context):
            slots = self._slots.open_turn(EARLY_TURN)
            begin_early(context, slots, run, self._pool.variables)
        self._has_begun = True
        self._pool.register(self._spark, source)
        frame = self._spark.readStream.format(source.name()).load()
        writer = frame.writeStream.format(self._config.spark_sink).queryName(self._query_name())
        # Spark requires one, and nothing in it is needed again. Without a scheme it would be on the
        # default file system, and never removed there: only the driver writes to it.
        checkpoint = (self._checkpoint.path / "query").absolute().as_uri()
        writer = writer.option("checkpointLocation", checkpoint)
        with in_pool(context):
            return writer.start()

    def _query_name(self) -> str:
        name = self._config.application_id
        # Spark names the table of a memory sink after its query.
        return re.sub(r"\W", "_", name) if self._config.spark_sink == "memory" else name
