"""One instance of an application in the driver, whatever hosts its workers.

It has the control server that they report to, knows them by their reports, sends their instructions
and questions, and announces this driver to the others. A host says how workers start and end:
`spark/streaming/query.py` as slots of a query on Spark, `local/local_host.py` on a thread of this
process.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from penstock._clock import SystemClock, monotonic
from penstock._engine.control.application_metrics import application_metrics, client_values
from penstock._engine.control.drivers import Driver, Drivers
from penstock._engine.control.forwarding import DriverClient, ForwardedQuestions, Forwarding
from penstock._engine.control.lag import ApplicationLag
from penstock._engine.control.members import Assignments, Members
from penstock._engine.control.orphaned_tasks import OrphanedTasks
from penstock._engine.control.program import Program
from penstock._engine.control.protocol.messages import Instruction, Report
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.control.slot_plan import SlotPlan
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
from penstock.metrics import MetricName, MetricValue

_log = logging.getLogger(__name__)

# How long workers have to finish when what hosts them has ended already.
_ENDED_SECONDS = 10.0

ProgramT = TypeVar("ProgramT", bound=Program)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a host is connected to."""

    on_report: Callable[[Report], None]
    """Called with every report of a worker."""
    own: Driver
    """How this driver announces itself to the others."""
    client: DriverClient
    """Asks these."""
    on_stage: Callable[[str], None] = lambda stage: None
    """Called with what the host is doing while it starts."""


class ApplicationHost(ABC, Generic[ProgramT]):
    """Hosts the workers of one application; they report to the server at `address`."""

    def __init__(
        self, blueprint: Blueprint, surroundings: Surroundings, slots: SlotPlan, address: str
    ) -> None:
        self._config = blueprint.config
        self._on_report = surroundings.on_report
        self._slots = slots
        self._stop = self._closed = False
        self.is_paused = False
        """Whether the workers are to stand still."""
        self._members = Members()
        self._last_numbers: dict[tuple[tuple[str, int], int], int] = {}
        self._hanging: set[Hashable] = set()
        self._orphans = OrphanedTasks()
        self._is_followed = self._has_failed_early = False
        self._active_at = monotonic()
        self._records = RecordCounts()
        self._lock = threading.Lock()
        self._starting, self._closing = threading.Lock(), threading.Lock()
        self._questions = QuestionQueues()
        verbs = {
            "report": Verb(Report, self._report),
            "next_turn": Verb(int, lambda last: last if self._stop else last + 1),
            "slots": Verb(int, self._slots.open_turn),
            "seconds_left": Verb(int, self._seconds_left),
            "status": Verb(None, lambda _: self._status()),
            "questions": Verb(QuestionPoll, self._questions.poll),
        }
        self._control = ControlServer(address, verbs, self._hung_up)
        self.served_at: dict[str, str | None] | None = None
        """Where the HTTP server is, for the progress."""
        self._notices = NoticeBoard(self._config, blueprint.task_topic, self._hear)
        own = replace(surroundings.own, session_seconds=self._notices.session_seconds)
        self.drivers = Drivers(own)
        """This driver and the others of the application."""
        self._open_asking(surroundings.client)

    @abstractmethod
    def _pack(self, blueprint: Blueprint) -> ProgramT:
        """Return the program in the form in which workers get it."""

    @abstractmethod
    def _start_workers(self, program: ProgramT) -> None:
        """Have workers started that run this program, until `_end_workers`."""

    @abstractmethod
    def _end_workers(self, *, finished: bool) -> bool:
        """End what `_start_workers` began; return whether all workers finished."""

    @abstractmethod
    def _is_active(self) -> bool:
        """Return whether workers can run."""

    @abstractmethod
    def _release(self, *, finished: bool) -> None:
        """Release what the host has taken, at the end of the application."""

    @abstractmethod
    def failure(self) -> str | None:
        """Return why the host ended the workers, None if it did not."""

    @abstractmethod
    def lost_its_workers(self, failure: str) -> bool:
        """Return whether that was because processes died, so that it helps to start again."""

    def runs_this_thread(self) -> bool:
        """Return whether a worker of this host calls this: it must not wait for its own end."""
        return False

    def never_began(self, failure: str) -> bool:  # noqa: ARG002
        """Return whether they did not even start: then it seldom helps to start again."""
        return False

    @abstractmethod
    def look_at_session(self) -> None:
        """End the turn early if other jobs of the host wait for its cores."""

    @abstractmethod
    def progress(self) -> dict[str, Any] | None:
        """Return the last progress report, None if there is none yet."""

    def _begin(self, blueprint: Blueprint, program: ProgramT) -> None:
        self._tasks = tuple(task.id for task in blueprint.tasks)
        self._lag = ApplicationLag(self._tasks)
        self.plan = blueprint
        """The plan by which it runs now; its tasks are those of all instances."""
        self.stores = stores_of(blueprint)
        """The stores of the application, by name."""
        self.group = GroupProgress(blueprint)
        """The progress of all instances; asks the broker."""
        self._start_workers(program)

    def _open_asking(self, client: DriverClient) -> None:
        questions = self._questions
        forwarding = Forwarding(
            self.drivers, client, questions.ask, questions.begin, questions.begin_get
        )
        self._forwarding = forwarding
        self.local_asker = Asker(
            self._assignments, questions.ask, self._copies, questions.begin, questions.begin_get
        )
        """Asks the workers of this driver about their stores."""
        self.asker = Asker(
            lambda: forwarding.with_others(self._assignments()),
            forwarding.ask,
            lambda: forwarding.copies_with_others(self._copies()),
            forwarding.begin,
            forwarding.begin_get,
        )
        """Asks those of other drivers as well."""
        self.forwarded = ForwardedQuestions(self.local_asker, lambda: self.stores)
        """Answers the questions of other drivers."""

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

    def follow_reports(self) -> None:
        """Start workers again that failed from now on: the application hears of their failures."""
        self._is_followed, self._has_failed_early = True, False

    def look_for_orphans(self) -> None:
        """Have a worker join again if the group leaves tasks without a member; on the thread that
        uses `group`.
        """
        alive = self._members.alive()
        if not alive or self._stop:
            return
        held = {task for driver in self.all_drivers() for task in driver.tasks}
        # A worker that hangs is a member until its session ends.
        held |= self._members.tasks()
        try:
            orphans = self.group.tasks_without_member() - held
        except Exception as error:  # the thread that watches the group must not end
            _log.info("the group cannot be asked now, trying on: %s", error)
            return
        if self._orphans.look(orphans, alive, monotonic()):
            _log.warning(
                "the group has given tasks %s to no worker, as after a kill in the midst of a "
                "rebalance; a worker joins it again",
                ", ".join(sorted(orphans)),
            )

    def look_at_lag(self) -> None:
        """Ask the broker about tasks that no worker runs; on the thread that uses `group`."""
        self._lag.look(self.group, self._members.reports())

    def pause(self, paused: bool) -> None:
        """Pause or resume the workers; they keep their tasks."""
        self.is_paused = paused

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
        """Announce this driver and its tasks to the others, if that is due; forget what others have
        begun to read and left.
        """
        self.forwarded.drop_old()
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

    def _unfinished(self) -> list[str]:
        return [report.member_id for report in self._members.alive()]

    def _seconds_left(self, turn: int) -> float:
        return 0.0 if self._stop else self._slots.seconds_left(turn, monotonic())

    def _report(self, report: Report) -> Instruction:
        now = monotonic()
        if report.state == "starting":
            may_start = self._slots.may_start(now) and not self._has_failed_early
            return Instruction(stop=self._stop or not may_start, paused=self.is_paused)
        if report.failure is not None and not self._is_followed:
            # What is to be done about it is not decided before the application follows.
            self._has_failed_early = True
        with self._lock:
            known = self._is_known(report)
            if not known:
                self._members.take(report)
                self._records.add(report)
        standbys = self._members.standbys_of(
            report.member_id, self._tasks, self._config.num_standby_replicas
        )
        if not known:
            if report.state in GONE:
                # It answers no more questions: those that it has taken are asked again elsewhere.
                self._questions.forget(report.worker)
            self._on_report(report)
        return Instruction(
            stop=self._stop or self._is_surplus(report, now),
            paused=self.is_paused,
            standbys=standbys,
            # Workers need no turns to go on, but they need the query.
            renew=now - self._active_at < self._config.lease_ms / 1000,
            hold=self._one_hangs(now),
            rejoin=self._orphans.take(report.worker),
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
        """Yes if a report comes a second time, because its answer was lost, or too late."""
        source = report.worker, report.process
        last = self._last_numbers.get(source, 0)
        if report.repeated:
            return report.number < last
        if report.number and last >= report.number:
            return True
        self._last_numbers[source] = report.number
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

    def _assignments(self) -> Assignments:
        return self._members.assignments()

    def _standbys(self) -> Mapping[str, tuple[str, ...]]:
        """Return the tasks of which each worker keeps a standby copy, by member id."""
        return self._members.standbys(self._tasks, self._config.num_standby_replicas)

    def _copies(self) -> list[tuple[tuple[str, int], Collection[str]]]:
        kept = self._standbys()
        return [(one.worker, kept.get(one.member_id, ())) for one in self._members.alive()]

    def suspend(self, timeout_seconds: float) -> bool:
        """Ask the workers to finish, wait, then end them; `resume` starts them again. Return
        whether all workers finished.
        """
        self._stop = True
        self._wait_for_workers(timeout_seconds, self._is_active)
        return self._end_workers(finished=not self._unfinished())

    def _wait_for_workers(self, seconds: float, active: Callable[[], bool] = lambda: True) -> None:
        """Wait until no worker is alive. If the host has ended, they may be alive all the same, and
        see within a second that they are to end; those that died with it have hung up.
        """
        now = monotonic()
        until, until_ended = now + seconds, now + min(seconds, _ENDED_SECONDS)
        waiter = threading.Event()
        while self._unfinished() and monotonic() < (until if active() else until_ended):
            waiter.wait(0.05)

    def resume(self, blueprint: Blueprint) -> None:
        """Start the workers again with this plan, unless the application was closed."""
        program = self._pack(blueprint)
        # `close` waits until there is something to end.
        with self._starting:
            with self._lock:
                if self._closed:
                    return
                self._members.forget_alive()
                self._slots.forget_workers()
                self._stop = False
            self._begin(blueprint, program)

    def close(self, timeout_seconds: float) -> bool:
        """Ask the workers to finish, wait, end them. Return whether all workers finished; False at
        once while another call is at it, which this may interrupt, as a signal handler does.
        """
        if not self._closing.acquire(blocking=False):
            return False
        try:
            return self._close(timeout_seconds)
        finally:
            self._closing.release()

    def _close(self, timeout_seconds: float) -> bool:
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
        self._release(finished=finished)
        return finished

    def _status(self) -> dict[str, Any]:
        """Return the figures of a turn that begins."""
        figures = self._figures()
        with self._lock:
            return {**figures, **self._records.end_turn()}

    def _figures(self) -> dict[str, Any]:
        reports = self._members.reports()
        now = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC)
        return {
            "asOf": now.isoformat(timespec="milliseconds"),
            **status(reports, self._lag.known(reports), self._members.metrics()),
            **({} if self.served_at is None else {"http": self.served_at}),
        }
