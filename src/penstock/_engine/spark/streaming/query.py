"""One application as one Structured Streaming query."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Collection, Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock._clock import SystemClock, monotonic, new_id
from penstock._engine.control.application_metrics import application_metrics, client_values
from penstock._engine.control.drivers import Driver, Drivers
from penstock._engine.control.engine_thread import Program
from penstock._engine.control.forwarding import DriverClient, ForwardedQuestions, Forwarding
from penstock._engine.control.lag import ApplicationLag
from penstock._engine.control.members import Members
from penstock._engine.control.protocol.messages import Instruction, Report
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.control.status import GONE, RecordCounts, status
from penstock._engine.kafka.application.group_progress import GroupProgress
from penstock._engine.kafka.application.notices import NoticeBoard
from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.topics import Isolation, end_offsets
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.tasks import Partition
from penstock._engine.queries.asking import Asker
from penstock._engine.queries.catalogue import stores_of
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.queries.questions import QuestionPoll
from penstock._engine.spark.session import log_path, session_for
from penstock._engine.spark.shipping.shipping import pack
from penstock._engine.spark.streaming.python_memory import warn_of_memory
from penstock._engine.spark.streaming.query_checkpoint import CheckpointFolder
from penstock._engine.spark.streaming.session_load import (
    capacity_of,
    in_pool,
    others_wait,
)
from penstock._engine.spark.streaming.slot_plan import SlotPlan, SlotRule
from penstock._engine.spark.streaming.source import Run, data_source_for
from penstock._engine.spark.streaming.worker_pools import WorkerPool
from penstock.metrics import MetricName, MetricValue

_log = logging.getLogger(__name__)

# Spark's error when a Python process has ended during its work.
_WORKER_DIED = "Python worker exited unexpectedly"
# How often other jobs of the session are looked at; what the look costs Spark is under 10 ms.
_LOOK_SECONDS = 0.5
# How long a stopped query may take to end its last turn, whose workers have finished.
_LAST_TURN_SECONDS = 10.0


class ApplicationQuery:
    """Runs an application on Spark; `on_report` is called with every worker's reports.

    `own` is how this driver announces itself to the others; `client` asks these.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        spark: SparkSession | None,
        on_report: Callable[[Report], None],
        own: Driver,
        client: DriverClient,
    ) -> None:
        self._config = blueprint.config
        self._on_report = on_report
        self._stop = self._closed = False
        self._paused = False
        self._members = Members()
        self._last_numbers: dict[tuple[str, int], int] = {}
        self._hanging: set[Hashable] = set()
        self._active_at = monotonic()
        self._records = RecordCounts()
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        # A program that cannot be shipped is refused before Spark starts.
        program = _program(blueprint)
        self._questions = QuestionQueues()
        self._spark, self._owned = session_for(self._config, spark)
        context = self._spark.sparkContext
        self._looked_at = 0.0
        self._tasks = tuple(task.id for task in blueprint.tasks)
        self._slots = self._plan_slots()
        warn_of_memory(dict(context.getConf().getAll()), blueprint, self._slots.count())
        host = context.getConf().get("spark.driver.host", "127.0.0.1")
        verbs = {
            "report": Verb(Report, self._report),
            "next_turn": Verb(int, lambda last: last if self._stop else last + 1),
            "slots": Verb(int, self._slots.open_turn),
            "seconds_left": Verb(int, self._seconds_left),
            "status": Verb(None, lambda _: self._status()),
            "questions": Verb(QuestionPoll, self._questions.poll),
        }
        self._control = ControlServer(str(host), verbs, self._hung_up)
        self.served_at: dict[str, str | None] | None = None
        """Where the HTTP server is, for the progress."""
        self._notices = NoticeBoard(self._config, blueprint.task_topic, self._hear)
        self.drivers = Drivers(replace(own, session_seconds=self._notices.session_seconds))
        """This driver and the others of the application."""
        self._open_asking(client)
        self._pool = WorkerPool()
        self._begin(blueprint, program)

    def _plan_slots(self) -> SlotPlan:
        config, context = self._config, self._spark.sparkContext
        rule = SlotRule(
            leaves_a_core=not (self._owned or config.takes_all_cores),
            useful=lambda: len(self._tasks) * (1 + config.num_standby_replicas),
        )
        return SlotPlan(
            config.slots_wanted, lambda: capacity_of(context), rule, config.turn_ms / 1000
        )

    def _open_asking(self, client: DriverClient) -> None:
        forwarding = Forwarding(self.drivers, client, self._questions.ask)
        self._forwarding = forwarding
        self.local_asker = Asker(self._assignments, self._questions.ask, self._copies)
        """Asks the workers of this driver about their stores."""
        self.asker = Asker(
            lambda: forwarding.with_others(self._assignments()),
            forwarding.ask,
            lambda: forwarding.copies_with_others(self._copies()),
        )
        """Asks those of other drivers as well."""
        self.forwarded = ForwardedQuestions(self.local_asker, lambda: self.stores)
        """Answers the questions of other drivers."""

    def _begin(self, blueprint: Blueprint, program: Program) -> None:
        self._tasks = tuple(task.id for task in blueprint.tasks)
        self._lag = ApplicationLag(self._tasks)
        self.plan = blueprint
        """The plan by which it runs now; its tasks are those of all instances."""
        self.stores = stores_of(blueprint)
        """The stores of the application, by name."""
        self.group = GroupProgress(blueprint)
        """The progress of all instances; asks the broker."""
        self._checkpoint = CheckpointFolder()
        address, lease_seconds = self._control.address, self._config.lease_ms / 1000
        self._query = self._start(
            Run(new_id(), address, lease_seconds, program, self._config.spark_rows)
        )

    @property
    def query(self) -> StreamingQuery:
        """Spark's own handle."""
        return self._query

    def members(self) -> dict[str, Report]:
        """Return the last report of each worker."""
        return self._members.reports()

    @property
    def membership_version(self) -> int:
        """A number that grows when workers or their tasks change."""
        return self._members.version

    def lag(self) -> int | None:
        """Return how many records wait in the inputs, None if that is not known."""
        return self._lag.known(self._members.reports())

    def metrics(self, client: Mapping[str, MetricValue]) -> dict[MetricName, MetricValue]:
        """Return the metrics of all workers, and those of the `client` with what they say of it."""
        reports = self._members.reports()
        records = self._records.totals()
        lag = self._lag.known(reports)
        values = client_values(reports, len(self._tasks), lag, self._members.failed)
        return application_metrics(
            {**client, **values, **records}, self._config.application_id, self._members.metrics()
        )

    def metric_rows(self) -> dict[str, tuple[MetricRow, ...]]:
        """Return the last metrics of each worker, by its id."""
        return self._members.metrics()

    def look_at_lag(self) -> None:
        """Ask the broker about tasks that no worker runs; on the thread that uses `group`."""
        self._lag.look(self.group, self._members.reports())

    def look_at_session(self) -> None:
        """End the turn if it has all cores and other jobs wait for one; twice a second at most."""
        now = monotonic()
        if now - self._looked_at < _LOOK_SECONDS or self._stop:
            return
        self._looked_at = now
        with suppress(Exception):  # its JVM is gone; `failure` says so
            if others_wait(self._spark.sparkContext):
                self._slots.give_way(now)

    def pause(self, paused: bool) -> None:
        """Pause or resume the workers; they keep their tasks."""
        self._paused = paused

    def add_slot(self) -> int | None:
        """Add a slot from the next turn on; return how many, None if there is no room."""
        return self._slots.add()

    def remove_slot(self) -> int | None:
        """Remove a slot from the next turn on; return how many, None if it is the last one."""
        return self._slots.remove()

    def post_shutdown(self, reason: str) -> None:
        """Ask all instances of the application to end."""
        self._notices.post_shutdown(reason)

    def shutdown_reason(self) -> str | None:
        """Return why an instance of the application has asked all to end, None if none has."""
        return None if self._stop else self._notices.shutdown_reason()

    def announce(self) -> None:
        """Announce this driver and its tasks to the others, if that is due."""
        failure = self._notices.take_failure()
        if failure is not None:
            _log.info("other drivers could not be told of this one, trying on: %s", failure)
            self.drivers.announce_again()
        if self._stop:
            return
        announcement = self.drivers.announcement(self.tasks_here(), self.standbys())
        if announcement is not None:
            self._notices.announce(self.drivers.own.id, announcement)

    def all_drivers(self) -> list[Driver]:
        """Return this driver and the others that it knows of, with their tasks."""
        return self.drivers.everyone(self.tasks_here(), self.standbys())

    def failure(self) -> str | None:
        """Return why the query ended, None if it did not end by itself."""
        if self._stop:
            return None
        try:
            if self._query.isActive:
                self._active_at = monotonic()
                return None
            error = self._query.exception()
        except Exception as lost:
            return f"Spark's JVM is gone ({type(lost).__name__}); {self._where_to_look()}"
        if error is None:
            return "the query was stopped"
        # After the first lines comes the JVM's stack.
        message = str(error).partition("\n\nJVM stacktrace")[0].partition("\n\tat ")[0].strip()
        return f"{message}; {self._where_to_look()}"

    def lost_its_workers(self, failure: str) -> bool:
        """Return whether Spark ended the query because worker processes died too often."""
        return _WORKER_DIED in failure and not self._closed

    def suspend(self, timeout_seconds: float) -> bool:
        """Ask the workers to finish, wait, then stop the query; `resume` starts it again. Return
        whether all workers finished.
        """
        self._stop = True
        until = monotonic() + timeout_seconds
        waiter = threading.Event()
        while monotonic() < until and self._is_active() and self._unfinished():
            waiter.wait(0.05)
        finished = not self._unfinished()
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

    def resume(self, blueprint: Blueprint) -> None:
        """Start the query again with this plan, unless the application was closed."""
        program = _program(blueprint)
        # `close` waits until there is a query to stop.
        with self._starting:
            with self._lock:
                if self._closed:
                    return
                self._members.forget_alive()
                self._stop = False
            self._begin(blueprint, program)

    def close(self, timeout_seconds: float) -> bool:
        """Ask the workers to finish, wait, stop the query. Return whether all workers finished."""
        with self._lock:
            self._closed = True
        self._notices.announce(self.drivers.own.id, None)
        with self._starting:
            finished = self.suspend(timeout_seconds)
        self._control.close()
        self._notices.close()
        self._questions.close()
        self.asker.close()
        self.local_asker.close()
        self._forwarding.close()
        if self._owned:
            with suppress(Exception):
                self._spark.stop()
        elif finished:
            self._pool.end(self._spark.sparkContext)
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
        return [report.member_id for report in self._members.alive()]

    def _start(self, run: Run) -> StreamingQuery:
        source = data_source_for(run)
        with self._pool.entered(self._spark.sparkContext):
            self._spark.dataSource.register(source)
            frame = self._spark.readStream.format(source.name()).load()
            writer = frame.writeStream.format(self._config.spark_sink).queryName(self._query_name())
            writer = writer.option("checkpointLocation", self._checkpoint.location)
            with in_pool(self._spark.sparkContext):
                return writer.start()

    def _seconds_left(self, turn: int) -> float:
        return 0.0 if self._stop else self._slots.seconds_left(turn, monotonic())

    def _query_name(self) -> str:
        name = self._config.application_id
        # Spark names the table of a memory sink after its query.
        return re.sub(r"\W", "_", name) if self._config.spark_sink == "memory" else name

    def _report(self, report: Report) -> Instruction:
        now = monotonic()
        if report.state == "starting":
            stop = self._stop or not self._slots.may_start(now)
            return Instruction(stop=stop, paused=self._paused)
        with self._lock:
            known = self._is_known(report)
            if not known:
                self._members.take(report)
                self._records.add(report)
        standbys = self._members.standbys_of(
            report.member_id, self._tasks, self._config.num_standby_replicas
        )
        if not known:
            self._on_report(report)
        return Instruction(
            stop=self._stop or self._is_surplus(report, now),
            paused=self._paused,
            standbys=standbys,
            # Workers need no turns to go on, but they need the query.
            renew=now - self._active_at < self._config.lease_ms / 1000,
            hold=self._one_hangs(now),
            give_way=self._slots.given_way,
        )

    def _one_hangs(self, now: float) -> bool:
        """Yes if a slot of this turn hangs; log each once."""
        hanging = self._slots.hanging(now)
        with self._lock:
            new, self._hanging = hanging - self._hanging, hanging
        for worker in new:
            _log.warning(
                "worker=%s says nothing any more: its process was stopped, or is in a function "
                "that does not let go of the interpreter; its tasks go to other workers when its "
                "session in the group ends ('session.timeout.ms')",
                worker,
            )
        return bool(hanging)

    def _is_known(self, report: Report) -> bool:
        """Yes if a report comes a second time, because its answer was lost."""
        if report.repeated:
            return False
        if report.number and self._last_numbers.get(report.worker, 0) >= report.number:
            return True
        self._last_numbers[report.worker] = report.number
        return False

    def _is_surplus(self, report: Report, now: float) -> bool:
        if report.state not in GONE:
            return self._slots.is_surplus(report.worker, *report.slot, now)
        self._slots.worker_gone(report.worker)
        return False

    def standbys(self) -> tuple[str, ...]:
        """Return the tasks of which workers of this driver keep standby copies."""
        return tuple(sorted({task for tasks in self._standbys().values() for task in tasks}))

    def standby_copies(self) -> Mapping[str, tuple[str, ...]]:
        """Return the tasks of which each worker keeps a standby copy, by member id."""
        return self._standbys()

    def changelog_ends(self, changelogs: Collection[Partition]) -> dict[Partition, int]:
        """Ask the cluster where changelogs end: what is committed of them, under exactly-once."""
        isolation: Isolation = "read_committed" if self._config.exactly_once else "read_uncommitted"
        return end_offsets(renewed_admin(self._config), list(changelogs), isolation)

    def tasks_here(self) -> dict[str, str]:
        """Return the tasks that workers of this driver have, and what each does."""
        here: dict[str, str] = {}
        for _, tasks in self._assignments():
            here |= {task: state for task, state in tasks.items() if here.get(task) != "running"}
        return here

    def _hear(self, driver_id: str, announcement: bytes | None) -> None:
        self.drivers.hear(driver_id, announcement)

    def _hung_up(self, last: Report) -> None:
        """Handle the end of a worker's connection: without a last report, the worker has died."""
        lost = self._members.lost(last)
        if lost is None:
            return
        self._questions.forget(last.worker)
        self._slots.worker_gone(last.worker)
        if not self._stop:
            _log.warning(
                "worker=%s process=%d died without a word; another takes its place, and tells how "
                "it died if it has left a trace",
                last.member_id,
                last.pid,
            )
        self._on_report(lost)

    def _assignments(self) -> list[tuple[tuple[str, int], Mapping[str, str]]]:
        return [(one.worker, one.tasks) for one in self._members.alive()]

    def _standbys(self) -> Mapping[str, tuple[str, ...]]:
        """Return the tasks of which each worker keeps a standby copy, by member id."""
        return self._members.standbys(self._tasks, self._config.num_standby_replicas)

    def _copies(self) -> list[tuple[tuple[str, int], Collection[str]]]:
        kept = self._standbys()
        return [(one.worker, kept.get(one.member_id, ())) for one in self._members.alive()]

    def _status(self) -> dict[str, Any]:
        reports = self._members.reports()
        with self._lock:
            now = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC)
            return {
                "asOf": now.isoformat(timespec="milliseconds"),
                **status(reports, self._lag.known(reports), self._members.metrics()),
                **self._records.end_turn(),
                **({} if self.served_at is None else {"http": self.served_at}),
            }


def _program(blueprint: Blueprint) -> Program:
    return Program(pack(blueprint), tuple(map(os.path.abspath, sys.path)))
