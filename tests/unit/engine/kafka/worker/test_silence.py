"""How long tasks are silent: only what the cluster has said counts, and never much at once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.kafka.worker.silence import Silence, _ends_of
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.idleness import Idleness
from penstock._engine.topology.nodes.stream_nodes import PassThrough, ProcessorNode
from penstock.errors import StreamsError

IN: Partition = ("in", 0)
LOOK_SECONDS = 0.1


class SameThread(Executor):
    """Answers at once."""

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        try:
            answer.set_result(call(*given, **named))
        except Exception as error:
            answer.set_exception(error)
        return answer


class IdleTask:
    """A task without records, as far as it is looked at here."""

    def __init__(self, partition: Partition = IN, *, watched: bool = True) -> None:
        self.offsets = {partition: 0}
        self.waiting = False
        self.idle: list[int] = []
        self.idleness = Idleness()
        if watched:
            node = ProcessorNode("counts", PassThrough(), (), None)
            self.idleness.watch(node, 1000, lambda elapsed, period: False)
        self.task = SimpleNamespace(idleness=self.idleness, stay_idle=self.idle.append)

    def has_records(self) -> bool:
        return self.waiting


class Worker:
    """A clock, a cluster that says where its partitions end, and what was read of them."""

    def __init__(self, *tasks: IdleTask, bounds: dict[Partition, int] | None = None) -> None:
        self.tasks: list[Any] = list(tasks)
        self.now = 50.0
        self.ends = {partition: 7 for each in tasks for partition in each.offsets}
        self.read = dict(self.ends)
        self.fault: Exception | None = None
        self.asked = 0
        inputs: Any = SimpleNamespace(
            lags=dict.fromkeys(self.ends, 0), end_met=lambda partition: self.read[partition]
        )
        self.lags = inputs.lags
        self.silence = Silence(self._ask, inputs, bounds, SameThread)

    def _ask(self, partitions: Collection[Partition]) -> dict[Partition, int]:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return {partition: self.ends[partition] for partition in partitions}

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / LOOK_SECONDS)):
            self.now += LOOK_SECONDS
            self.silence.look(self.tasks, self.now)


def test_silence_counts_as_long_as_the_cluster_says_that_nothing_is_left() -> None:
    task = IdleTask()
    worker = Worker(task)
    worker.run(60)
    assert 58_000 <= sum(task.idle) <= 60_000
    assert worker.asked <= 121


def test_a_process_that_stood_still_counts_a_second_at_most() -> None:
    task = IdleTask()
    worker = Worker(task)
    worker.run(2)
    before = sum(task.idle)
    worker.now += 3600
    worker.run(0.2)
    assert sum(task.idle) - before <= 1000


def test_records_that_came_while_the_process_stood_still_end_the_silence() -> None:
    task = IdleTask()
    worker = Worker(task)
    worker.run(2)
    before = list(task.idle)
    worker.now += 3600
    worker.ends[IN] = 400  # the client has not fetched them yet: its last answer was "the end"
    worker.run(10)
    assert task.idle == before


def test_a_cluster_that_is_away_is_not_silent() -> None:
    task = IdleTask()
    worker = Worker(task)
    worker.run(2)
    before = list(task.idle)
    worker.fault = BrokerAway("no answer")
    worker.run(60)
    assert task.idle == before
    worker.fault = None
    worker.run(1)
    assert sum(task.idle) - sum(before) <= 1500


def test_nothing_is_said_each_time_the_cluster_does_not_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is asked twice a second, and the worker's other clients say that it is away."""
    nowhere = AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    with caplog.at_level("WARNING"), pytest.raises(BrokerAway):
        _ends_of(nowhere, [IN])
    assert caplog.messages == []


def test_a_record_begins_a_new_silence() -> None:
    task = IdleTask()
    worker = Worker(task)
    worker.run(2)
    task.idle.clear()
    task.idleness.reset()
    worker.run(1)
    assert sum(task.idle) <= 1000


@pytest.mark.parametrize("why", ["records wait", "the client knows of more"])
def test_a_task_that_has_something_to_do_is_not_silent(why: str) -> None:
    task = IdleTask()
    worker = Worker(task)
    task.waiting = why == "records wait"
    worker.lags[IN] = 0 if task.waiting else 1
    worker.run(5)
    assert (task.idle, worker.asked) == ([], 0)
    task.waiting, worker.lags[IN] = False, 0
    worker.run(1.1)
    assert 0 < sum(task.idle) <= 1100


def test_other_tasks_change_nothing() -> None:
    task, busy, plain = IdleTask(), IdleTask(("in", 1)), IdleTask(("in", 2), watched=False)
    worker = Worker(task, busy, plain)
    worker.lags["in", 1], worker.ends["in", 2] = 1, 10**6
    worker.run(10)
    assert (sum(task.idle) > 8000, busy.idle, plain.idle) == (True, [], [])


def test_a_bounded_run_is_over_at_its_bound() -> None:
    task = IdleTask()
    worker = Worker(task, bounds={IN: 7})
    worker.ends[IN] = 1000
    worker.run(5)
    assert sum(task.idle) > 3000


def test_without_tasks_that_watch_nothing_is_asked() -> None:
    worker = Worker(IdleTask(watched=False))
    worker.run(5)
    assert worker.asked == 0
    worker.silence.close()


def test_a_refusal_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    task = IdleTask()
    worker = Worker(task)
    worker.fault = StreamsError("the offsets cannot be told: not authorized")
    worker.run(10)
    assert task.idle == []
    assert [record.getMessage() for record in caplog.records] == [
        "windows with idle_after cannot close without records: the offsets cannot be told: not "
        "authorized"
    ]
