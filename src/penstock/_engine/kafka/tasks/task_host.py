"""Opens the tasks of a worker on this machine: member id, task directories, store engines."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeGuard

from confluent_kafka.admin import AdminClient

from penstock._clock import SystemClock, monotonic, new_id
from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.client_errors import GlobalTablesOutdated
from penstock._engine.kafka.client.clients import producer_settings
from penstock._engine.kafka.client.topics import missing_outputs, output_partition_count
from penstock._engine.kafka.tasks.global_tables import GlobalTables
from penstock._engine.kafka.tasks.key_placement import Placement
from penstock._engine.kafka.tasks.refused_records import Refusals
from penstock._engine.kafka.tasks.standby import StandbyStores
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import StorePlan, SubtopologyPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.stores.damaged_stores import DamagedStores
from penstock._engine.runtime.stores.engine_choice import open_in
from penstock._engine.runtime.stores.row_marks import open_for_rows_of
from penstock._engine.runtime.stores.task_stores import StoreSite, open_stores
from penstock._engine.runtime.stores.user_engines import destroy_own_stores
from penstock._engine.runtime.task import Task
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.attempts import AttemptFile
from penstock._engine.state.files.directory import StateDirectory, TaskDirectory, claim_member_id
from penstock._engine.state.files.open_files import files_needed, raise_limit, shortage
from penstock._engine.state.files.state_times import StateTimes
from penstock._engine.state.overlay import Reserve
from penstock.errors import (
    ProductionError,
    StateCorruptedError,
    StateLockedError,
    StreamsError,
    state_failure,
)

_log = logging.getLogger(__name__)

# More than it takes to find a record that ends a process.
_DEATHS_UNTIL_GIVEN_UP = 12

# Committed changes that the engines of a worker's stores need not have yet. Writes of keys that
# change all the time are saved; a crash costs the reading of as much of the changelogs.
_RESERVE_BYTES = 32 * 1024 * 1024

# How long a topic that is missing is not looked for again.
_MISSING_SECONDS = 5.0


_GLOBAL = "global"


class TaskHost:
    """Opens tasks with their stores in the state directory; one per worker process."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self._config = blueprint.config
        self._directory = StateDirectory(self._config.state_dir, self._config.application_id)
        self._budget = CacheBudget(self._config.cache_bytes_max)
        self._reserve = Reserve(_RESERVE_BYTES)
        self._held: dict[str, TaskDirectory] = {}
        self._standbys: dict[str, StandbyStores] = {}
        self._partition_counts = dict(blueprint.partition_counts)
        self._admin: AdminClient | None = None
        self._found_topics = set(blueprint.partition_counts) | set(blueprint.output_topics)
        self._missing_until: dict[str, float] = {}
        self.refusals = Refusals(
            producer_settings(self._config, "check"),
            self._admin_client,
            blueprint.changelogs(),
            SystemClock().now_ms,
            self._find_topic,
        )
        """The records that Kafka is known to refuse; kept while tasks come and go."""
        self._damaged = DamagedStores()
        self._open_files = OpenFiles(
            sum(_stores_on_disk(plan.subtopology) for plan in blueprint.tasks)
        )
        self.placement = Placement(blueprint)
        """Looks at where the keys of joined topics are."""
        self.state_location = f"{platform.node()}:{self._directory.path.resolve()}"
        """Machine and state directory; workers with the same one share local state."""
        self.member_id, self._release_member_id = claim_member_id(
            self._config.state_dir, self._config.application_id, new_id
        )
        self.crash_log = self._directory.crash_log(self.member_id)
        """What this process leaves behind if it dies, and how the last process of this id died."""
        if self.crash_log.predecessor is not None:
            _log.warning("worker=%s %s", self.member_id, self.crash_log.predecessor)
        if self.crash_log.deaths_in_a_row >= _DEATHS_UNTIL_GIVEN_UP:
            self._release_all()
            msg = (
                f"{_DEATHS_UNTIL_GIVEN_UP} processes of this worker have died one after the other, "
                "each before its first commit and in its first minute, and no record is known to "
                f"end them: look at `init` and at timers; at last {self.crash_log.predecessor}"
            )
            raise StreamsError(msg)
        self.global_tables = self._open_global_tables()
        """The global tables, which all tasks of this process may read; None if there are none."""

    def open(self, plan: TaskPlan) -> Task:
        """Open a task; its directory is locked until `release`.

        Raises:
            StateLockedError: another process has it still, or again.
        """
        if (standby := self._standbys.pop(plan.id, None)) is not None:
            standby.close()
        directory = self._directory.lock_task(plan.id, wait_seconds=0)
        self._held[plan.id] = directory
        self._open_files.add(plan.id, _stores_on_disk(plan.subtopology))
        try:
            task = Task(
                plan.id,
                plan.subtopology,
                self._config,
                plan.inputs,
                self._partition_count,
                make_engine=lambda store: self._engine_of_task(store, directory),
                cache_budget=self._budget,
                global_stores=self.global_tables.stores if self.global_tables else None,
                reserve=self._reserve,
                acceptance=self.refusals,
            )
            task.directory = directory.user_path()
            return task
        except BaseException:
            self.release(plan)
            raise

    def open_standby(self, plan: TaskPlan) -> StandbyStores | None:
        """Open the stores of a task that others run, None if a worker of this machine has them;
        they are closed when the task is opened here.
        """
        try:
            directory = self._directory.lock_task(plan.id, wait_seconds=0)
        except StateLockedError:
            return None
        followed = {
            name: store for name, store in plan.subtopology.stores.items() if store.has_standbys
        }
        site = StoreSite(
            int(plan.id.rpartition("_")[2]),
            self._config,
            Collector(self._partition_count),
            Position(),
            lambda store: self._engine_of_task(store, directory),
            CacheBudget(0),
        )
        try:
            stores = open_stores(followed, site)
        except BaseException:
            directory.release()
            raise
        opened = self._standbys[plan.id] = StandbyStores(list(stores.values()), directory)
        return opened

    def holds(self, plan: TaskPlan) -> bool:
        """Whether the task is open here, and not as a copy."""
        return plan.id in self._held

    def set_aside(self, error: BaseException, drop_tasks: Callable[[], None]) -> bool:
        """If a damaged store of this host is behind `error`, drop all tasks and see to it that the
        store is restored from its changelog when it is opened next; if the global tables are
        outdated, drop all tasks and read the tables anew. Yes if it was so.
        """
        if isinstance(error, GlobalTablesOutdated):
            drop_tasks()
            _log.warning("worker=%s reads its global tables anew: %s", self.member_id, error)
            self._reopen_global_tables(wipe=True)
            return True
        damage = state_failure(error)
        if not isinstance(damage, StateCorruptedError) or not self._is_own(damage.path):
            return False
        drop_tasks()
        self.note_damage(error)
        directory = self._held.get(_GLOBAL)
        if directory is not None and directory.path in damage.path.parents:
            self._reopen_global_tables(wipe=False)
        return True

    def _reopen_global_tables(self, *, wipe: bool) -> None:
        """Open the global tables again; no task may be open."""
        tables, plan = self.global_tables, self._blueprint.global_stores
        if tables is None or plan is None:
            return
        with suppress(StreamsError):
            tables.close()
        directory = self._held.pop(_GLOBAL)
        try:
            if wipe:
                application_id = self._config.application_id
                destroy_own_stores(plan.stores.values(), application_id, directory)
                directory.wipe()
        finally:
            directory.release()
        self.global_tables = self._open_global_tables()

    def note_damage(self, error: BaseException) -> None:
        """Set the store whose damage is behind `error`, if any is, aside when it is opened next."""
        self._damaged.note(error)

    def _is_own(self, path: Path | None) -> TypeGuard[Path]:
        return path is not None and path.parent.parent.parent == self._directory.path

    def release(self, plan: TaskPlan) -> None:
        """Release the directory of a task that has been closed."""
        self._open_files.remove(plan.id)
        directory = self._held.pop(plan.id, None)
        if directory is not None:
            directory.release()

    def wipe(self, plan: TaskPlan, stores: Iterable[str] | None = None) -> None:
        """Delete the local state of a task that has been closed, all of it or some `stores` on
        disk, and release its directory.
        """
        directory, application_id = self._held[plan.id], self._config.application_id
        try:
            if stores is None:
                destroy_own_stores(plan.subtopology.stores.values(), application_id, directory)
                directory.wipe()
            else:
                directory.delete_stores(stores)
        finally:
            self.release(plan)

    def dead_members(self) -> set[str]:
        """Return the ids of members whose processes on this machine have ended."""
        return self._directory.dead_members()

    def attempts(self, plan: TaskPlan) -> AttemptFile:
        """Return the file that names the record in hand, for the case that this process dies."""
        return self._held[plan.id].attempts()

    def state_times(self, plan: TaskPlan) -> StateTimes:
        """Return the file that says when the stores of a task were last complete."""
        return self._held[plan.id].times()

    def close(self) -> None:
        """Release all directories and the member id."""
        try:
            for standby in self._standbys.values():
                standby.close()
            if self.global_tables is not None:
                self.global_tables.close()
        finally:
            self._release_all()

    def _release_all(self) -> None:
        for directory in self._held.values():
            directory.release()
        self._held.clear()
        self.crash_log.close()
        self._release_member_id()

    def __enter__(self) -> TaskHost:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except StreamsError as closing:
            # What went wrong first says why; a full disk, for instance, cannot be closed either.
            if error is None:
                raise
            _log.warning("worker=%s: %s", self.member_id, closing)

    def _open_global_tables(self) -> GlobalTables | None:
        plan = self._blueprint.global_stores
        if plan is None:
            return None
        try:
            directory = self._directory.lock_task(f"global_{self.member_id}")
            self._held[_GLOBAL] = directory
            return GlobalTables(
                plan,
                self._config,
                self._partition_counts,
                lambda store: self._engine(store, directory, rebuilt_from="its topic"),
                directory.times(),
            )
        except BaseException:
            self._release_all()
            raise

    def _partition_count(self, topic: str) -> int:
        """Return how many partitions a topic has; asks once for an output topic, when a partitioner
        first needs it.
        """
        count = self._partition_counts.get(topic)
        if count is None:
            count = output_partition_count(self._admin_client(), topic)
            self._partition_counts[topic] = count
        return count

    def _find_topic(self, topic: str) -> ProductionError | None:
        """Look for a topic that was not named before the start, and now and then for a missing one;
        return why it cannot be written to, None if it can.
        """
        if topic in self._found_topics:
            return None
        if monotonic() >= self._missing_until.get(topic, 0.0):
            if not missing_outputs(self._admin_client(), [topic]):
                self._found_topics.add(topic)
                return None
            self._missing_until[topic] = monotonic() + _MISSING_SECONDS
        msg = (
            f"a record for topic {topic!r} could not be written: there is no such topic; create "
            "it, or correct the name"
        )
        return ProductionError(msg, topic=topic, code="UNKNOWN_TOPIC_OR_PART")

    def _admin_client(self) -> AdminClient:
        if self._admin is None:
            self._admin = renewed_admin(self._config)
        return self._admin

    def _engine_of_task(self, plan: StorePlan, directory: TaskDirectory) -> StoreEngine:
        topic = plan.restored_from
        source = None if topic is None else f"topic {topic!r}"
        return self._engine(plan, directory, rebuilt_from=source)

    def _engine(
        self, plan: StorePlan, directory: TaskDirectory, *, rebuilt_from: str | None
    ) -> StoreEngine:
        def open_engine() -> StoreEngine:
            return open_in(directory, plan, self._config, self._config.application_id)

        if plan.builder.engine != "rocksdb":
            return open_engine()
        name = plan.builder.name
        title = f"store {name!r} of task {directory.path.name}"

        def open_marked() -> StoreEngine:
            kind = plan.builder.kind
            return open_for_rows_of(kind, title, open_engine, rebuilt_from=rebuilt_from)

        return self._damaged.open(name, directory, open_marked, rebuilt_from=rebuilt_from)


class OpenFiles:
    """Watches over the limit of open files of a worker process."""

    def __init__(self, stores_of_all_tasks: int) -> None:
        raise_limit(files_needed(stores_of_all_tasks))
        self._stores: dict[str, int] = {}
        self._warned = False

    def add(self, task_id: str, store_count: int) -> None:
        """Count the stores of a task that is about to be opened; warn once if they are too many."""
        self._stores[task_id] = store_count
        said = shortage(sum(self._stores.values()))
        if said is not None and not self._warned:
            self._warned = True
            _log.warning("too few open files are allowed: %s", said)

    def remove(self, task_id: str) -> None:
        """Count off the stores of a task that was closed."""
        self._stores.pop(task_id, None)


def _stores_on_disk(plan: SubtopologyPlan) -> int:
    return sum(store.builder.engine == "rocksdb" for store in plan.stores.values())
