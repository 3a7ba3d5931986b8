"""An application with real stores of all kinds and a real asker, without Kafka and Spark."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock import Processor, ProcessorContext, Record, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.control.drivers import Driver
from penstock._engine.control.forwarding import ForwardedQuestions
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.recent_errors import RecentErrors
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.queries.asking import Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.questions import Answer, Position, Question
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.runtime.task import Task
from penstock._engine.topology.topology import Topology
from penstock.errors import StoreNotReadyError
from penstock.queries import view_of
from penstock.stores import Stores, ValueAndTimestamp
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

HOUR = 3_600_000


@dataclass
class Seat:
    """A key of a class."""

    row: int
    place: str


TEXT, LONG, BYTES = serdes.string(), serdes.long(), serdes.bytes()
STORES = [
    Stores.timestamped_key_value_store("counts", key=TEXT, value=LONG),
    Stores.persistent_key_value_store("numbers", key=LONG, value=serdes.json(dict)),
    Stores.persistent_key_value_store("raw", key=BYTES, value=BYTES),
    Stores.persistent_key_value_store("seats", key=serdes.json(Seat), value=TEXT),
    Stores.persistent_key_value_store("long", key=TEXT, value=LONG),
    Stores.persistent_window_store(
        "windows", retention=HOUR, window_size=1000, key=TEXT, value=LONG
    ),
    Stores.persistent_window_store(
        "wide", retention=END_OF_TIME, window_size=END_OF_TIME, key=TEXT, value=LONG
    ),
    Stores.persistent_session_store("sessions", retention=HOUR, key=TEXT, value=LONG),
    Stores.versioned_key_value_store("versions", history_retention=HOUR, key=TEXT, value=TEXT),
]
KEYS = [f"key-{number:02}" for number in range(25)]
LONG_KEYS = [f"k{number}{'-' * 13_000}" for number in range(5)]
"""Base64 of one does not fit in a request."""


class _Fill(Processor[Any, Any, Any, Any]):
    """Fills all stores at the first record."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        self._stores: dict[str, Any] = {
            builder.name: context.get_state_store(builder.name) for builder in STORES
        }

    def process(self, record: Record[Any, Any]) -> None:
        stores = self._stores
        for number, key in enumerate([*KEYS, "a/b", "", "ünï", "5"]):
            stores["counts"].put(key, ValueAndTimestamp(number, 1000 + number))
        for number in range(5):
            stores["numbers"].put(number - 2, {"is": number})
            stores["windows"].put("a", number, number * 1000)
            stores["windows"].put("b", number, number * 1000)
            stores["sessions"].put(Windowed("a", number * 10_000, number * 10_000 + 500), number)
            stores["versions"].put("a", f"v{number}", 1000 + number * 10)
        for number, key in enumerate(LONG_KEYS):
            stores["long"].put(key, number)
        stores["wide"].put("a", 1, 1000)
        stores["raw"].put(b"\x00\xff", b"\x01\x02")
        stores["raw"].put(b"plain", b"text")
        stores["seats"].put(Seat(3, "c"), "taken")


def _program() -> StreamsBuilder:
    builder = StreamsBuilder()
    for store in STORES:
        builder.add_state_store(store)
    builder.stream("in").process(_Fill, state_stores=[store.name for store in STORES])
    return builder


class _InTask:
    """The task as queries see it."""

    def __init__(self, task: Task, shop: Shop, partition: int) -> None:
        self._task, self._shop, self.partition = task, shop, partition

    @property
    def is_ready(self) -> bool:
        return self._shop.restored

    def has_store(self, name: str) -> bool:
        return self.store(name) is not None

    def store(self, name: str) -> TaskStore | None:
        return self._task.task_store(name)

    def position(self, *, uncommitted: bool) -> Position:
        return {"in": {self.partition: 0}}

    def offsets_behind(self) -> int:
        return 1234

    def restore_progress(self, _store: str) -> tuple[int, int] | None:
        return None


class Shop:
    """The application; a test changes its state."""

    application_id = "shop"
    trouble: str | None = None
    exactly_once = True

    def __init__(self, partitions: int = 1) -> None:
        """All partitions have the same rows."""
        self.state = "RUNNING"
        self.restored = True
        self.worker_state = "running"
        self.owned = True
        self.others: list[Driver] = []
        self.busy: threading.Event | None = None
        """While it is set, queries wait."""
        self._topology = _program().build()
        settings = {"default.key.serde": "string", "default.value.serde": "string"}
        self._config = StreamsConfig({"application.id": "shop", **settings})
        (plan,) = plan_subtopologies(self._topology, "shop")
        self._entries = {
            name: StoreEntry(name, one, {n: f"0_{n}" for n in range(partitions)}, partitions)
            for name, one in plan.stores.items()
        }
        self._plan = [TaskPlan(f"0_{n}", n, plan, (("in", n),)) for n in range(partitions)]
        self._errors = RecentErrors()
        self._server = QueryServer()
        self._tasks = [_InTask(self._filled(one), self, one.partition) for one in self._plan]
        self._lock = threading.Lock()
        self.asker = Asker(lambda: [(("w", 1), self.reports()["w"].tasks)], self._ask)
        self._forwarded = ForwardedQuestions(self.asker, self.stores)

    def stores(self) -> Mapping[str, StoreEntry]:
        return self._entries

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        stores = sorted(self._entries)
        return {one.id: {"partition": one.partition, "stores": stores} for one in self._plan}

    def reports(self) -> Mapping[str, Report]:
        running = "running" if self.restored else "restoring"
        tasks = {one.id: running for one in self._plan} if self.owned else {}
        return {"w": Report("w", self.worker_state, tasks=tasks, pid=1)}

    def lag(self) -> int | None:
        return 0

    def metrics(self) -> str:
        return "# TYPE kafka_streams_up gauge\nkafka_streams_up 1\n"

    def source(self, name: str, options: ReadOptions, partition: int | None) -> Any:
        return view_of(self._entries, name, (self.asker, self._config, options), partition)._source

    def drivers(self) -> list[Driver]:
        return [Driver("here", "shop/1", tasks=dict(self.reports()["w"].tasks)), *self.others]

    def answer(self, question: Question) -> Answer:
        if self.state != "RUNNING":
            raise StoreNotReadyError(self.state)
        return self._forwarded.answer(question)

    def topology(self, form: str) -> str:
        if form == "text":
            return str(self._topology.describe())
        return self._topology.to_mermaid() if form == "mermaid" else self._topology.to_svg()

    def program(self) -> Topology:
        return self._topology

    def plan(self) -> Sequence[TaskPlan]:
        return self._plan

    def metric_rows(self) -> Mapping[str, Sequence[MetricRow]]:
        return {}

    def standby_copies(self) -> Mapping[str, Sequence[str]]:
        return {}

    def errors(self) -> RecentErrors:
        return self._errors

    def _filled(self, plan: TaskPlan) -> Task:
        counts = len(self._plan)
        task = Task(plan.id, plan.subtopology, self._config, plan.inputs, lambda topic: counts)
        task.set_lags(dict.fromkeys(plan.inputs, 0))
        task.start(0)
        self._fill(task, plan)
        return task

    def _fill(self, task: Task, plan: TaskPlan) -> None:
        task.add_records("in", plan.partition, [(0, 1, b"k", b"v", ())])
        task.process(1, 1)
        task.prepare_commit()
        task.drain()
        task.committed()

    def _ask(self, worker: tuple[str, int], question: Question) -> Answer | None:
        if self.busy is not None:
            self.busy.wait()
        with self._lock:
            return self._server._answer(question, list(self._tasks))


class Misplaced(Shop):
    """All keys belong into the first partition, and are in the last one."""

    def __init__(self, *, is_placed_here: bool = False) -> None:
        super().__init__(4)
        self._entries = {
            name: replace(entry, partition_count=1, is_placed_here=is_placed_here)
            for name, entry in self._entries.items()
        }

    def _fill(self, task: Task, plan: TaskPlan) -> None:
        if plan.partition == 3:
            super()._fill(task, plan)
