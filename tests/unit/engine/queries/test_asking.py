"""Questions to the owners of tasks, and what comes of tasks that move, restore or are busy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from penstock._engine.queries import asking
from penstock._engine.queries.asking import Asker, Wishes
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import GLOBAL, Answer, Part, Question, Read
from penstock.errors import QueryError, StoreNotReadyError

A, B = ("a", 1), ("b", 2)
STORE = StoreEntry("counts", cast("Any", None), {0: "0_0", 1: "0_1"}, 2)
ALL = Read("range")
SHORT = Wishes(seconds=0.3)


class FakeWorkers:
    """Workers that answer from a table: (worker, partition) to the part."""

    def __init__(self, tasks: Mapping[tuple[str, int], Mapping[str, str]]) -> None:
        self.tasks = tasks
        self.parts: dict[tuple[Any, int], list[Part]] = {}
        self.pages: dict[int, Part] = {}
        self.asked: list[tuple[Any, Question]] = []
        self.busy: dict[Any, str] = {}

    def ask(self, worker: tuple[str, int], question: Question) -> Answer | None:
        self.asked.append((worker, question))
        if worker in self.busy:
            return Answer(0, busy=self.busy[worker])
        if question.cursor is not None:
            return Answer(0, (self.pages[question.cursor],))
        found = []
        for partition in question.partitions:
            waiting = self.parts.get((worker, partition))
            if waiting is None:
                return None
            found.append(waiting.pop(0) if len(waiting) > 1 else waiting[0])
        return Answer(0, tuple(found))


@pytest.fixture
def workers() -> FakeWorkers:
    return FakeWorkers({A: {"0_0": "running"}, B: {"0_1": "running"}})


@pytest.fixture
def asker(workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch) -> Asker:
    monkeypatch.setattr(asking, "_AGAIN_SECONDS", 0.01)
    return Asker(lambda: list(workers.tasks.items()), workers.ask)


def row(key: bytes) -> Any:
    return (key, b"v", None, None, None)


def test_each_worker_is_asked_for_its_partitions(asker: Asker, workers: FakeWorkers) -> None:
    workers.parts = {(A, 0): [Part(0, (row(b"x"),))], (B, 1): [Part(1, (row(b"y"),))]}
    parts = asker.parts(STORE, ALL, [0, 1], SHORT)
    assert {place: part.rows[0][0] for place, part in parts.items()} == {0: b"x", 1: b"y"}
    assert sorted(worker for worker, _ in workers.asked) == [A, B]


def test_a_task_that_moves_is_looked_for_again(asker: Asker, workers: FakeWorkers) -> None:
    absent = Part(0, failure="absent", message="the task is not here")
    workers.parts = {(A, 0): [absent, absent, Part(0, (row(b"x"),))]}
    assert asker.parts(STORE, ALL, [0], Wishes(seconds=5))[0].rows == (row(b"x"),)
    assert len(workers.asked) == 3


def test_one_that_runs_a_task_is_asked_before_one_that_restores_it(asker: Asker) -> None:
    assert asker.owners(STORE) == {0: A, 1: B}
    mixed = FakeWorkers({A: {"0_0": "restoring"}, B: {"0_0": "running"}})
    assert Asker(lambda: list(mixed.tasks.items()), mixed.ask).owners(STORE) == {0: B}
    mixed.tasks = {A: {"0_0": "running"}, B: {"0_0": "restoring"}}
    assert Asker(lambda: list(mixed.tasks.items()), mixed.ask).owners(STORE) == {0: A}


def test_a_task_that_restores_is_not_ready_at_once(asker: Asker, workers: FakeWorkers) -> None:
    message = "the store is being restored: 7 changelog records are left"
    workers.parts = {
        (A, 0): [Part(0, offsets_behind=7, failure="not_ready", message=message)],
    }
    with pytest.raises(StoreNotReadyError) as caught:
        asker.parts(STORE, ALL, [0], Wishes(seconds=60))
    assert caught.value.restore_remaining == 7
    assert str(caught.value) == (
        f"store 'counts' is not ready: task 0_0: {message}; ask again in a moment"
    )


def test_what_has_no_owner_or_no_answer_is_told_by_task(asker: Asker, workers: FakeWorkers) -> None:
    workers.tasks = {A: {"0_0": "running"}}
    with pytest.raises(StoreNotReadyError) as caught:
        asker.parts(STORE, ALL, [0, 1], SHORT)
    assert "task 0_1: no worker has its task" in str(caught.value)
    assert "task 0_0: its worker did not answer in time" in str(caught.value)
    workers.busy[A] = "function 'slow' at topic 't', partition 0, offset 3"
    with pytest.raises(StoreNotReadyError, match="its worker is busy: function 'slow' at topic"):
        asker.parts(STORE, ALL, [0], SHORT)


@pytest.mark.parametrize("failure", ["refused", "failed"])
def test_what_the_store_cannot_answer_is_not_tried_again(
    failure: Any, asker: Asker, workers: FakeWorkers
) -> None:
    workers.parts = {(A, 0): [Part(0, failure=failure, message="no such thing")]}
    with pytest.raises(QueryError, match="store 'counts', partition 0: no such thing"):
        asker.parts(STORE, ALL, [0], Wishes(seconds=60))
    assert len(workers.asked) == 1


def test_a_scan_reads_page_after_page(asker: Asker, workers: FakeWorkers) -> None:
    workers.parts = {(A, 0): [Part(0, (row(b"1"),), cursor=5)]}
    workers.pages = {5: Part(0, (row(b"2"),), cursor=6), 6: Part(0, (row(b"3"),))}
    assert [key for key, *_ in asker.scan(STORE, ALL, 0, SHORT)] == [b"1", b"2", b"3"]


def test_a_scan_whose_task_has_moved_says_so(asker: Asker, workers: FakeWorkers) -> None:
    workers.parts = {(A, 0): [Part(0, (row(b"1"),), cursor=5)]}
    workers.pages = {5: Part(-1, failure="absent", message="its task has moved; begin it again")}
    with pytest.raises(StoreNotReadyError, match="task 0_0: its task has moved"):
        list(asker.scan(STORE, ALL, 0, SHORT))


def test_a_global_store_is_read_from_any_worker(workers: FakeWorkers, asker: Asker) -> None:
    store = StoreEntry("plans", cast("Any", None), {GLOBAL: "global"}, 1)
    assert asker.owners(store)[GLOBAL] in {A, B}
    assert store.partition_of("k", b"k") == GLOBAL
