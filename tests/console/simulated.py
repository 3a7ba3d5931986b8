"""An application of any size without Kafka and Spark: real topology, stores, plan and server, and
reports as workers would send them. A test changes what they say.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from penstock import Grouped, Materialized, Named, Produced, StreamsBuilder, TimeWindows, serdes
from penstock._engine.control.drivers import Driver
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.recent_errors import RecentErrors
from penstock._engine.metrics.record_failures import RecordFailure
from penstock._engine.metrics.rows import NODE, STATE, TASK, THREAD, TOPIC, MetricRow
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import TaskPlan, plan_tasks
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import Answer, Question
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode
from penstock._engine.topology.topology import Topology
from tests.unit.engine.http.shop import STORES, Shop, _Fill

PLANTED = '<img src=x onerror="window.planted=1"><script>window.planted=1</script>'


def program(hostile: str = "") -> Topology:
    """Return a program of three sub-topologies, windows among them; a fourth with hostile names."""
    builder = StreamsBuilder()
    text = serdes.string()
    for store in STORES:
        builder.add_state_store(store)
    builder.stream("in").process(_Fill, state_stores=[store.name for store in STORES])
    orders: Any = builder.stream("orders")
    paid = orders.filter(lambda key, value: bool(value), named=Named("paid-orders"))
    paid.map_values(lambda value: value).to("invoices")
    grouped = paid.group_by(lambda key, value: value, Grouped(name="by-customer"))
    windows = TimeWindows.of_size(timedelta(minutes=5), grace=timedelta(minutes=1))
    counts = grouped.windowed_by(windows).count(Materialized("orders-per-customer"))
    named = counts.to_stream().select_key(lambda windowed, count: windowed.key)
    named.to("customer-counts", Produced(key=text, value=serdes.long()))
    topology = builder.build()
    if hostile:
        topology.add_source(f"source {hostile}", "hostile-in")
        topology.add_sink(f"sink {hostile}", "hostile-out", f"source {hostile}")
    return topology


class Simulated:
    """The application."""

    application_id = "shop"
    exactly_once = True
    trouble: str | None = None

    def __init__(
        self,
        partitions: int = 4,
        workers: int = 3,
        hostile: str = "",
        topology: Topology | None = None,
    ) -> None:
        self._shop = Shop()
        self._topology = topology or program(hostile)
        self.state = "RUNNING"
        self._hostile = hostile
        plans = plan_subtopologies(self._topology, self.application_id)
        topics = {topic for plan in plans for topic in plan.source_topics()}
        self._tasks = plan_tasks(plans, dict.fromkeys(topics, partitions))
        self.began = time.monotonic()
        self.members = [f"worker-{n}{hostile}" for n in range(workers)]
        self.gone: dict[str, str] = {}
        self.restoring: dict[str, int] = {}
        self.idle: set[str] = set()
        topics = {topic for task in self._tasks for topic, _ in task.inputs}
        self._orders_part = 2 / 3 if "in" in topics else 1.0
        """Of the records that come from users' topics, those that are orders."""
        self._errors = RecentErrors()
        self._skipped = 0
        self.speed = 1000.0
        self.executors = False
        """Whether workers know the executor that they belong to."""
        self.debug = False
        """Whether metrics are recorded at DEBUG, where nodes count their records."""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def stores(self) -> Mapping[str, StoreEntry]:
        return self._shop.stores()

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        return {task.id: {"partition": task.partition, "stores": []} for task in self._tasks}

    def owner(self, number: int) -> str:
        alive = [member for member in self.members if member not in self.gone]
        return alive[number % len(alive)]

    def reports(self) -> Mapping[str, Report]:
        tasks: dict[str, dict[str, str]] = {member: {} for member in self.members}
        for number, task in enumerate(self._tasks):
            state = "restoring" if task.id in self.restoring else "running"
            tasks[self.owner(number)][task.id] = state
        records = int(self.seconds * self.speed)
        # Half of the orders are invoiced, and half of these change a count that is sent on.
        sent = int(records * self._orders_part * 0.75)
        return {
            member: Report(
                member,
                self.gone.get(member, "running"),
                tasks={} if member in self.gone else tasks[member],
                records_in=records,
                records_out=sent,
                lag=12,
                home=f"host-{n % 3}{self._hostile}:/var/state",
                executor=str(n + 1) if self.executors else "",
                slot=(int(self.seconds / 5) + 1, n),
                state_entries={"counts": 29},
                pid=1000 + n,
            )
            for n, member in enumerate(self.members)
        }

    def lag(self) -> int | None:
        return 12 * len(self.members)

    def metrics(self) -> str:
        return ""

    def metric_rows(self) -> Mapping[str, Sequence[MetricRow]]:
        rows: dict[str, list[MetricRow]] = {}
        for n, member in enumerate(self.members):
            if member not in self.gone:
                commits = int(self.seconds * 10) + n
                values = {"process-ratio": 0.4, "commit-total": commits, "commit-latency-avg": 7.5}
                rows[member] = [MetricRow(THREAD, dict(values))]
        for number, task in enumerate(self._tasks):
            rows[self.owner(number)] += self._of_task(number, task)
        return {member: tuple(its) for member, its in rows.items()}

    def _of_task(self, number: int, task: TaskPlan) -> list[MetricRow]:
        tags = {"task-id": task.id}
        idle = task.id in self.idle
        total = 5 if idle or task.id in self.restoring else self._read(task)
        drops = {node.name: self._dropped(number, node.name) for node in task.subtopology.nodes}
        late = sum(drops.values()) - drops.get("paid-orders", 0)
        now = int(time.time() * 1000)
        values: dict[str, int | float | str] = {
            "stream-time": now - 700_000 if idle else now - number % 7 * 1000,
            "records-lag": 0 if idle else 3,
            "dropped-records-total": sum(drops.values()),
            "active-process-ratio": 0.1 + 0.2 * task.subtopology.id,
        }
        if task.id in self.restoring:
            values["restore-remaining-records-total"] = self.restoring[task.id]
        rows = [
            MetricRow(TASK, values, tags),
            MetricRow(TASK, {"dropped-records-by-reason-total": late}, {**tags, "reason": "late"}),
        ]
        first = next((n.name for n in task.subtopology.nodes if isinstance(n, ProcessorNode)), "")
        for node in task.subtopology.nodes:
            of_node = {**tags, "processor-node-id": node.name}
            if drops[node.name]:
                dropped = {"dropped-records-total": drops[node.name]}
                rows.append(MetricRow(NODE, dict(dropped), of_node))
            if hasattr(node, "topics"):
                for topic in node.topics:
                    read = {"records-consumed-total": total, "records-lag": 3}
                    rows.append(MetricRow(TOPIC, dict(read), {**of_node, "topic": topic}))
                ages = {"record-e2e-latency-avg": 12.5, "record-e2e-latency-max": 80.0}
                rows.append(MetricRow(NODE, dict(ages), of_node))
            elif isinstance(getattr(node, "topic", None), str):
                sent = {"records-produced-total": total // 2}
                rows.append(MetricRow(TOPIC, dict(sent), {**of_node, "topic": str(node.topic)}))  # type: ignore[union-attr]
            if self.debug and isinstance(node, ProcessorNode):
                seen = {"records-total": total if node.name == first else total // 2}
                rows.append(MetricRow(NODE, dict(seen), of_node))
        for store in task.subtopology.stores:
            kept = {"num-keys": 29, "state-bytes": 4096}
            rows.append(MetricRow(STATE, dict(kept), {**tags, "in-memory-state-id": store}))
        return rows

    def _read(self, task: TaskPlan) -> int:
        """Return how many records a task has read: what one sub-topology sends, the next one reads;
        partitions have more or less.
        """
        partitions = len(self._tasks) // len({one.subtopology.id for one in self._tasks})
        weights = [1 + number % 3 for number in range(partitions)]
        part = weights[task.partition % partitions] / sum(weights)
        of_users = self.seconds * self.speed * len(self.members)
        orders = self._orders_part
        of_topics = {"in": 1 - orders, "orders": orders, "hostile-in": 0.0}
        read = sum(of_topics.get(topic, orders / 2) for topic, _ in task.inputs)
        return int(of_users * read * part)

    def _dropped(self, number: int, node: str) -> int:
        if node.startswith("KSTREAM-AGGREGATE"):
            return number % 5
        return self._skipped if node == "paid-orders" and self._tasks[number].partition == 0 else 0

    def fail(
        self,
        *,
        text: str = "boom",
        kind: str = "ValueError",
        offset: int = 42,
        skipped: bool = True,
        count: int = 1,
    ) -> None:
        """Have records fail."""
        self._skipped += count * skipped
        failure = RecordFailure(
            task_id="1_0",
            node="paid-orders",
            reason="processing-error",
            error=f"{kind}: {text}",
            location=f"/app/shop{text}.py:12",
            topic=f"orders{text}" if text != "boom" else "orders",
            partition=0,
            offset=offset,
            at_ms=int(time.time() * 1000),
            key=f"key {text}",
            value=f"value {text}",
            headers=((f"header {text}", f"of {text}"),),
            skipped=skipped,
            dead_letters=("orders-dead",),
            count=count,
        )
        fatal = None if skipped else WorkerFailure("ProcessingError", text, "trace", "app.py:12")
        self._errors.take(
            Report(self.members[0], "running", record_failures=(failure,), failure=fatal)
        )

    def kill(self, number: int) -> None:
        """Have a worker die."""
        member = self.members[number]
        self.gone[member] = "lost"
        self._errors.take(Report(member, "lost"))

    def source(self, name: str, options: ReadOptions, partition: int | None) -> Any:
        return self._shop.source(name, options, partition)

    def drivers(self) -> list[Driver]:
        return [Driver("here", "shop/1")]

    def answer(self, question: Question) -> Answer:
        return self._shop.answer(question)

    def topology(self, form: str) -> str:
        return str(self._topology.describe())

    def program(self) -> Topology:
        return self._topology

    def plan(self) -> Sequence[TaskPlan]:
        return self._tasks

    def standby_copies(self) -> Mapping[str, Sequence[str]]:
        return {self.members[-1]: [self._tasks[0].id]}

    def errors(self) -> RecentErrors:
        return self._errors
