"""Where the tasks of a worker live on this machine: member id, task directories, store engines."""

from __future__ import annotations

import platform
from types import TracebackType

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.clients import admin_settings
from penstock._engine.kafka.global_tables import GlobalTables
from penstock._engine.kafka.standby import StandbyStores, is_followed
from penstock._engine.kafka.topics import output_partition_count
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import StorePlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.collector import Collector
from penstock._engine.runtime.engine_choice import open_in
from penstock._engine.runtime.own_engines import destroy_own_stores
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.stores import StoreSite, open_stores
from penstock._engine.runtime.task import Task
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.directory import StateDirectory, TaskDirectory, claim_member_id
from penstock._engine.state.layers.entries import CacheBudget
from penstock._engine.state.overlay import Reserve
from penstock.clock import new_id
from penstock.errors import StateLockedError

# Committed changes that the engines of a worker's stores need not have yet. Writes of keys that
# change all the time are saved; a crash costs the reading of as much of the changelogs.
_RESERVE_BYTES = 32 * 1024 * 1024


class TaskHost:
    """Opens tasks with their stores in the state directory; one per worker process."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self._config = blueprint.config
        self._directory = StateDirectory(self._config.state_dir, self._config.application_id)
        self._budget = CacheBudget(self._config.cache_bytes_max)
        self._reserve = Reserve(_RESERVE_BYTES)
        self._held: dict[str, TaskDirectory] = {}
        self._standby: StandbyStores | None = None
        self._partition_counts = dict(blueprint.partition_counts)
        self.home = f"{platform.node()}:{self._directory.path.resolve()}"
        """Which state it sees; workers with the same one share it."""
        self.member_id, self._release_member_id = claim_member_id(
            self._config.state_dir, self._config.application_id, new_id
        )
        self.global_tables = self._open_global_tables()
        """What all tasks of this process may look rows up in; None if the program has none."""

    def open(self, plan: TaskPlan) -> Task:
        """Open a task; its directory is locked until `release`."""
        if self._standby is not None:
            self._standby.close()
        directory = self._directory.lock_task(plan.id)
        self._held[plan.id] = directory
        try:
            return Task(
                plan.id,
                plan.subtopology,
                self._config,
                plan.inputs,
                self._partition_count,
                make_engine=lambda store: self._engine(store, directory),
                cache_budget=self._budget,
                global_stores=self.global_tables.stores if self.global_tables else None,
                reserve=self._reserve,
            )
        except BaseException:
            self.release(plan)
            raise

    def open_standby(self, plan: TaskPlan) -> StandbyStores | None:
        """Open the stores of a task that others run, None if somebody here has them; one at a
        time, and only until a task is opened.
        """
        try:
            directory = self._directory.lock_task(plan.id, wait_seconds=0)
        except StateLockedError:
            return None
        followed = {
            name: store for name, store in plan.subtopology.stores.items() if is_followed(store)
        }
        site = StoreSite(
            int(plan.id.rpartition("_")[2]),
            self._config,
            Collector(self._partition_count),
            Position(),
            lambda store: self._engine(store, directory),
            CacheBudget(0),
        )
        try:
            stores = open_stores(followed, site)
        except BaseException:
            directory.release()
            raise
        self._standby = StandbyStores(list(stores.values()), directory)
        return self._standby

    def release(self, plan: TaskPlan) -> None:
        """Let go of the directory of a task that has been closed."""
        directory = self._held.pop(plan.id, None)
        if directory is not None:
            directory.release()

    def wipe(self, plan: TaskPlan) -> None:
        """Delete the local state of a task that has been closed, and let go of its directory."""
        directory = self._held[plan.id]
        stores, application_id = plan.subtopology.stores.values(), self._config.application_id
        try:
            destroy_own_stores(stores, application_id, directory)
            directory.wipe()
        finally:
            self.release(plan)

    def close(self) -> None:
        """Let go of everything."""
        try:
            if self._standby is not None:
                self._standby.close()
            if self.global_tables is not None:
                self.global_tables.close()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        for directory in self._held.values():
            directory.release()
        self._held.clear()
        self._release_member_id()

    def __enter__(self) -> TaskHost:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open_global_tables(self) -> GlobalTables | None:
        plan = self._blueprint.global_stores
        if plan is None:
            return None
        try:
            directory = self._directory.lock_task(f"global_{self.member_id}")
            self._held["global"] = directory
            return GlobalTables(
                plan,
                self._config,
                self._partition_counts,
                lambda store: self._engine(store, directory),
            )
        except BaseException:
            self._let_go()
            raise

    def _partition_count(self, topic: str) -> int:
        """Give how many partitions a topic has; an output topic is asked about when a partitioner
        first wants to know, and not again.
        """
        count = self._partition_counts.get(topic)
        if count is None:
            count = output_partition_count(AdminClient(admin_settings(self._config)), topic)
            self._partition_counts[topic] = count
        return count

    def _engine(self, plan: StorePlan, directory: TaskDirectory) -> StoreEngine:
        return open_in(directory, plan, self._config, self._config.application_id)
