"""What a bounded run must say: each task of each sub-topology hosted as the test driver hosts its
one, with all its records in its queues from the start.

It is slow and holds everything in memory; what it has in common with a job is the plan of the
stages and the rule by which records of several senders are put in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from conformance.dataframes.feeding import Inputs
from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import TIMESTAMP, Output, RawRecord
from penstock._engine.runtime.stores.task_stores import TaskStore, memory_engine
from penstock._engine.runtime.task import Task
from penstock._engine.state.cache.entries import CacheBudget
from penstock.record import HeaderPairs

Written = tuple[bytes | None, bytes | None, int, HeaderPairs]
Outcome = dict[Partition, list[Written]]
StoredRows = dict[str, list[tuple[Any, ...]]]


class Reference:
    """Runs a plan on inputs; `topics` and `stores` are what came of it. Tasks commit after each
    record, or, with `commits_once`, at their end.
    """

    def __init__(self, plan: JobPlan, inputs: Inputs, *, commits_once: bool = False) -> None:
        self._plan = plan
        self._commits_once = commits_once
        self._sent: dict[Partition, list[list[Written]]] = defaultdict(list)
        self.stores: StoredRows = defaultdict(list)
        self._queues: dict[Partition, list[RawRecord]] = defaultdict(list)
        for topic, records in inputs.items():
            for one in sorted(records, key=lambda one: (one.partition, one.offset)):
                self._queues[topic, one.partition].append(
                    (one.offset, one.timestamp, one.key, one.value, one.headers)
                )
        for stage in plan.stages:
            self._run(stage)
        self.topics = {place: list(_merged(sent)) for place, sent in self._sent.items() if sent}
        """Every record of every topic, changelogs too, in order."""

    def _run(self, stage: Stage) -> None:
        for place in [place for plan in stage.tasks for place in plan.inputs]:
            if place not in self._queues:
                self._queues[place] = [
                    (offset, time, key, value, headers)
                    for offset, (key, value, time, headers) in enumerate(_merged(self._sent[place]))
                ]
        sent = self._run_circle(stage) if stage.is_cycle else self._run_each(stage)
        for place, senders in sent.items():
            self._sent[place] += senders

    def _run_each(self, stage: Stage) -> dict[Partition, list[list[Written]]]:
        sent: dict[Partition, list[list[Written]]] = defaultdict(list)
        for plan in stage.tasks:
            task = self._open(plan)
            for topic, partition in plan.inputs:
                task.add_records(topic, partition, self._queues.get((topic, partition), ()))
            own: dict[Partition, list[Written]] = defaultdict(list)
            while task.process(0):
                self._collect(plan, task, own, commits=not self._commits_once)
            self._collect(plan, task, own)
            for place, records in own.items():
                sent[place].append(records)
            self._look(plan, task)
        return sent

    def _run_circle(self, stage: Stage) -> dict[Partition, list[list[Written]]]:
        # Tasks that run together share their cache, as the tasks of a worker do.
        budget = CacheBudget(self._plan.config.cache_bytes_max)
        tasks = [(plan, self._open(plan, budget)) for plan in stage.tasks]
        owner = {place: task for plan, task in tasks for place in plan.inputs}
        own: dict[Partition, list[Written]] = defaultdict(list)
        waiting = {place: list(self._queues[place]) for place in owner if self._queues.get(place)}
        offsets: dict[Partition, int] = defaultdict(int)
        while waiting:
            place = min(
                sorted(waiting, key=_in_order(stage)), key=lambda p: waiting[p][0][TIMESTAMP]
            )
            owner[place].add_records(*place, (waiting[place].pop(0),))
            waiting = {other: records for other, records in waiting.items() if records}
            while busy := [(plan, task) for plan, task in tasks if task.has_records()]:
                plan, task = min(busy, key=lambda one: one[1].next_timestamp())
                task.process(0)
                for sent_to, (key, value, time, headers) in self._collect(plan, task, own):
                    if sent_to in owner:
                        record = (offsets[sent_to], time, key, value, headers)
                        offsets[sent_to] += 1
                        owner[sent_to].add_records(*sent_to, (record,))
        for plan, task in tasks:
            self._look(plan, task)
        return {place: [records] for place, records in own.items()}

    def _open(self, plan: TaskPlan, cache_budget: CacheBudget | None = None) -> Task:
        stores = self._global_stores()
        count = self._plan.partition_count
        task = Task(
            plan.id,
            plan.subtopology,
            self._plan.config,
            plan.inputs,
            count,
            make_engine=memory_engine,
            cache_budget=cache_budget,
            global_stores=stores,
        )
        task.set_lags(dict.fromkeys(plan.inputs, 0))
        task.start(0)
        return task

    def _global_stores(self) -> dict[str, TaskStore]:
        plan = self._plan.global_stores
        if plan is None:
            return {}
        task = GlobalTask(plan, self._plan.config, memory_engine)
        task.start(0)
        for topic in task.topics():
            for place in sorted(place for place in self._queues if place[0] == topic):
                for raw in self._queues[place]:
                    task.update(*place, raw, 0)
        task.commit()
        return task.task_stores

    def _collect(
        self,
        plan: TaskPlan,
        task: Task,
        own: dict[Partition, list[Written]],
        *,
        commits: bool = True,
    ) -> list[tuple[Partition, Written]]:
        """Do what the driver does after each record; return what was written."""
        outputs = task.drain()
        task.punctuate_stream_time()
        if commits:
            task.prepare_commit()
            task.committed()
            outputs += task.drain()
        placed = [self._placed(plan, output) for output in outputs]
        for place, record in placed:
            own[place].append(record)
        return placed

    def _placed(self, plan: TaskPlan, output: Output) -> tuple[Partition, Written]:
        topic, partition, key, value, time, headers = output
        if partition is None:
            count = self._plan.partition_count(topic)
            partition = plan.partition % count if key is None else partition_of(key, count)
        return (topic, partition), (key, value, 0 if time is None else time, headers)

    def _look(self, plan: TaskPlan, task: Task) -> None:
        for name in plan.subtopology.stores:
            store = task.task_store(name)
            if store is not None and store.rows is not None:
                self.stores[name] += [(plan.partition, *row) for row in store.rows()]


def _in_order(stage: Stage) -> Any:
    topics = stage.topics()
    return lambda place: (topics.index(place[0]), place[1])


def _merged(senders: Iterable[list[Written]]) -> Iterable[Written]:
    """Return the records of several senders, always the one whose head has the smallest time; the
    first sender of those that are equal.
    """
    queues = [list(records) for records in senders]
    while queues := [queue for queue in queues if queue]:
        yield min(queues, key=lambda queue: queue[0][2]).pop(0)
