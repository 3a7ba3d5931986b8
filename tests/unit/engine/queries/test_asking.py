"""Questions find the worker that has the task, again while tasks move."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from penstock._engine.queries import asking
from penstock._engine.queries.asking import AnsweredPart, Asker, ReadOptions, Worker
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.key_batch import KeyPlace
from penstock._engine.queries.questions import GLOBAL, Answer, Ended, Part, Question, Read, Row
from penstock.errors import QueryError, StoreNotReadyError

FIRST, SECOND = ("first", 1), ("second", 2)
PLAN: Any = SimpleNamespace(has_standbys=True)
STORE = StoreEntry("counts", PLAN, {0: "0_0", 1: "0_1", 2: "0_2"}, 3)
ALL, WISHES = Read("range"), ReadOptions(seconds=5.0)


def row(key: bytes) -> Row:
    return key, b"", None, None, None


class Workers:
    """Two workers; each partition's answers come one after the other, the last one for ever."""

    def __init__(self, **answers: list[Part]) -> None:
        self.tasks: dict[Worker, dict[str, str]] = {
            FIRST: {"0_0": "running", "0_1": "running"},
            SECOND: {"0_2": "running"},
        }
        self.answers = {int(name[1:]): parts for name, parts in answers.items()}
        self.asked: list[tuple[Worker, Question]] = []
        self.copies: dict[Worker, set[str]] = {}
        self.of_copies: dict[Worker, Part] = {}
        self.asker = Asker(
            lambda: list(self.tasks.items()), self._ask, lambda: list(self.copies.items())
        )

    def _ask(self, worker: Worker, question: Question) -> Answer | None:
        self.asked.append((worker, question))
        if worker in self.of_copies:
            return Answer(0, (self.of_copies[worker],))
        if question.cursor is not None:
            return Answer(0, (self._next(question.cursor),))
        parts = tuple(self._next(each) for each in question.partitions)
        return Answer(0, parts)

    def _next(self, partition: int) -> Part:
        left = self.answers.get(partition, [Part(partition)])
        return left.pop(0) if len(left) > 1 else left[0]


def scan(workers: Workers, partition: int) -> Iterator[Row]:
    part = workers.asker.parts(STORE, ALL, [partition], WISHES)[partition]
    return workers.asker.pages(STORE, part, WISHES)


def test_each_worker_is_asked_once_for_all_its_partitions() -> None:
    workers = Workers()
    assert workers.asker.parts(STORE, ALL, [0, 1, 2], WISHES).keys() == {0, 1, 2}
    asked = sorted((worker, question.partitions) for worker, question in workers.asked)
    assert asked == [(FIRST, (0, 1)), (SECOND, (2,))]


def test_each_worker_is_asked_for_the_keys_of_its_partitions() -> None:
    workers = Workers()
    keys = {0: (b"a",), 1: (b"b", b"c"), 2: (b"d",)}
    workers.asker.parts(STORE, Read("get"), keys, WISHES, keys)
    asked = dict(workers.asked)
    assert asked[FIRST].keys == ((b"a",), (b"b", b"c"))
    assert asked[FIRST].read_of(1) == Read("get", (b"b", b"c"))
    assert asked[SECOND].keys == ((b"d",),)


def test_a_task_that_moves_is_asked_for_again() -> None:
    moved = Part(1, failure="absent", message="the task is not here")
    workers = Workers(p1=[moved, moved, Part(1, (row(b"a"),))])
    parts = workers.asker.parts(STORE, ALL, [0, 1], WISHES)
    assert parts[1].rows == (row(b"a"),)
    assert [question.partitions for _, question in workers.asked] == [(0, 1), (1,), (1,)]


def test_answers_are_asked_for_once_with_their_failures() -> None:
    moved = Part(1, failure="absent", message="the task is not here")
    workers = Workers(p1=[moved, Part(1)])
    del workers.tasks[SECOND]
    answers = workers.asker.answers(STORE, ALL, [0, 1, 2], WISHES)
    assert answers == {
        0: AnsweredPart(0, worker=FIRST),
        1: AnsweredPart(1, failure="absent", message="the task is not here", worker=FIRST),
        2: AnsweredPart(2, failure="absent", message="no worker has its task"),
    }


def test_a_task_without_a_worker_is_named() -> None:
    workers = Workers()
    workers.tasks.clear()
    with pytest.raises(StoreNotReadyError, match="task 0_1: no worker has its task"):
        workers.asker.parts(STORE, ALL, [1], ReadOptions(seconds=0))


def test_a_task_that_restores_is_not_waited_for() -> None:
    workers = Workers(p0=[Part(0, offsets_behind=7, failure="not_ready", message="restoring")])
    with pytest.raises(StoreNotReadyError, match="task 0_0: restoring") as raised:
        workers.asker.parts(STORE, ALL, [0], ReadOptions(seconds=60))
    assert raised.value.restore_remaining == 7
    assert len(workers.asked) == 1


@pytest.mark.parametrize("failure", ["refused", "failed", "unknown"])
def test_what_would_fail_again_is_not_asked_again(failure: Any) -> None:
    workers = Workers(p0=[Part(0, failure=failure, message="no")])
    with pytest.raises(QueryError, match="store 'counts', partition 0: no") as raised:
        workers.asker.parts(STORE, ALL, [0], ReadOptions(seconds=60))
    assert not isinstance(raised.value, StoreNotReadyError)
    assert len(workers.asked) == 1


def test_a_scan_follows_its_cursors_to_the_worker_that_has_them() -> None:
    first, second = Part(2, (row(b"a"),), cursor=9), Part(2, (row(b"b"),))
    workers = Workers(p2=[first], p9=[second])
    assert [*scan(workers, 2)] == [row(b"a"), row(b"b")]
    assert [(worker, question.cursor) for worker, question in workers.asked] == [
        (SECOND, None),
        (SECOND, 9),
    ]


def test_a_page_without_rows_is_no_end_of_the_rows() -> None:
    pages = [Part(0, cursor=8), Part(0, (row(b"a"),), cursor=9), Part(0, (row(b"b"),))]
    workers = Workers(p0=[Part(0, cursor=7)], p7=pages[:1], p8=pages[1:2], p9=pages[2:])
    assert list(scan(workers, 0)) == [row(b"a"), row(b"b")]


class Clock:
    """A time that passes with each question."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(asking, "monotonic", lambda: self.now)


class Seldom(Workers):
    """A worker takes a second for a page; only some have a row, and none is the last."""

    def __init__(self, clock: Clock, pages_with_rows: set[int]) -> None:
        super().__init__()
        self._clock, self._pages_with_rows = clock, pages_with_rows

    def _next(self, partition: int) -> Part:
        self._clock.now += 1.0
        assert len(self.asked) < 50, "the scan goes on without an end"
        found = (row(b"a"),) if len(self.asked) in self._pages_with_rows else ()
        return Part(0, found, cursor=0)


def test_a_scan_that_finds_no_row_ends_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = Seldom(Clock(monkeypatch), {3, 7})
    rows = scan(workers, 0)
    assert [next(rows), next(rows)] == [row(b"a")] * 2  # each row within its own five seconds
    told = "store 'counts': task 0_0 found no row in 5 seconds; ask for a smaller range"
    with pytest.raises(StoreNotReadyError, match=told):
        next(rows)
    assert len(workers.asked) == 12


def test_questions_for_more_rows_are_marked_for_those_who_have_a_time_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = Seldom(Clock(monkeypatch), {3})
    part = workers.asker.parts(STORE, ALL, [0], WISHES)[0]
    rows = workers.asker.pages_with_marks(STORE, part, WISHES)
    assert [next(rows) for _ in range(10)] == [None, None, row(b"a"), *[None] * 7]


def test_the_next_page_comes_from_the_worker_of_the_first_though_the_task_has_moved() -> None:
    first, second = Part(2, (row(b"a"),), cursor=9), Part(2, (row(b"b"),))
    workers = Workers(p2=[first], p9=[second])
    rows = scan(workers, 2)
    assert next(rows) == row(b"a")
    workers.tasks[FIRST]["0_2"] = workers.tasks[SECOND].pop("0_2")
    assert [*rows] == [row(b"b")]
    worker, question = workers.asked[-1]
    assert (worker, question.cursor, question.partitions) == (SECOND, 9, (2,))


def test_a_cursor_that_is_gone_is_no_end_of_the_rows() -> None:
    gone = Part(-1, failure="absent", message="begin it again")
    workers = Workers(p2=[Part(2, (row(b"a"),), cursor=9)], p9=[gone])
    rows = scan(workers, 2)
    assert next(rows) == row(b"a")
    with pytest.raises(StoreNotReadyError, match="task 0_2: begin it again"):
        next(rows)


def test_the_pages_that_follow_have_no_more_room_than_their_share() -> None:
    firsts = [Part(each, (row(b"a"),), cursor=each + 7) for each in range(3)]
    moved = Part(1, failure="absent", message="the task is not here")
    workers = Workers(p0=[firsts[0]], p1=[moved, firsts[1]], p2=[firsts[2]], p7=[Part(0)])
    options = replace(WISHES, bytes_max=900)
    parts = workers.asker.parts(STORE, ALL, range(3), options)
    # The one that is asked again has only its share: the rows of the others are there already.
    assert sorted(question.bytes_max for _, question in workers.asked) == [300, 450, 450]
    workers.asked.clear()
    for part in parts.values():
        assert [*workers.asker.pages(STORE, part, options)] == [row(b"a")]
    assert [question.bytes_max for _, question in workers.asked] == [300, 300, 300]


def test_a_running_owner_comes_before_one_that_restores() -> None:
    workers = Workers()
    workers.tasks[SECOND]["0_0"] = "restoring"
    assert workers.asker.owners(STORE) == {0: FIRST, 1: FIRST, 2: SECOND}
    workers.tasks[FIRST]["0_0"] = "restoring"
    workers.tasks[SECOND]["0_0"] = "running"
    assert workers.asker.owners(STORE)[0] == SECOND


def test_a_key_is_asked_of_the_worker_that_runs_its_task_now() -> None:
    """Who runs what is looked up once for each change of the assignments."""
    asked: list[Worker] = []

    def begin_get(worker: Worker, *_: object) -> Callable[[], None]:
        asked.append(worker)
        return lambda: None

    both: list[tuple[Worker, dict[str, str]]]
    both = [(FIRST, {"0_0": "running", "0_1": "running"}), (SECOND, {"0_2": "running"})]
    moved = [(FIRST, {"0_1": "running"}), (SECOND, {"0_2": "running", "0_0": "running"})]
    claimed_by_both = [*both, (SECOND, {"0_0": "running"})]
    restoring = [(FIRST, {"0_0": "restoring"})]
    now = [both]
    asker = Asker(lambda: now[0], lambda _worker, _question: None, begin_get=begin_get)

    common = Question(0, "counts", Read("get"), ())

    def worker_of(partition: int) -> Worker | None:
        drop = asker.begin_get(STORE, common, KeyPlace(partition, b"k"), lambda part: None)
        return asked.pop() if drop is not None else None

    assert [worker_of(0), worker_of(0), worker_of(2), worker_of(GLOBAL)] == [
        FIRST,
        FIRST,
        SECOND,
        SECOND,
    ]
    now[0] = moved
    assert [worker_of(0), worker_of(1), worker_of(0)] == [SECOND, FIRST, SECOND]
    now[0] = claimed_by_both
    assert worker_of(0) == SECOND, "the one that was heard of last"
    now[0] = restoring
    assert [worker_of(0), worker_of(1), worker_of(GLOBAL)] == [None, None, FIRST]
    now[0] = []
    assert worker_of(GLOBAL) is None
    assert not asked


def test_every_worker_has_a_global_store() -> None:
    shared = StoreEntry("plans", PLAN, {GLOBAL: "global"}, 1)
    assert Workers().asker.owners(shared).keys() == {GLOBAL}


STALE = replace(WISHES, stale_ok=True)
KEEPER, ANOTHER = ("keeper", 3), ("another", 4)
NOT_HERE = Part(0, failure="absent", message="the task is not here")


def with_copies(own: Part, **copies: Part) -> Workers:
    """Return workers of which two keep copies of a task, whose own answer is `own`."""
    workers = Workers(p0=[own])
    workers.copies = {FIRST: {"0_2"}, KEEPER: {"0_0"}, ANOTHER: {"0_0", "0_1"}}
    workers.of_copies = {KEEPER: copies["keeper"], ANOTHER: copies["another"]}
    return workers


@pytest.mark.parametrize("own", [NOT_HERE, Part(0, (row(b"own"),), offsets_behind=9)])
def test_the_copy_that_is_the_least_behind_answers(own: Part) -> None:
    near, far = Part(0, (row(b"near"),), offsets_behind=2), Part(0, offsets_behind=5)
    for copies in ({"keeper": near, "another": far}, {"keeper": far, "another": near}):
        part = with_copies(own, **copies).asker.parts(STORE, ALL, [0], STALE)[0]
        assert (part.rows, part.offsets_behind) == ((row(b"near"),), 2)
        assert part.worker == (KEEPER if copies["keeper"] is near else ANOTHER)


def test_copies_of_a_task_without_a_worker_answer() -> None:
    workers = with_copies(NOT_HERE, keeper=Part(0, (row(b"a"),)), another=NOT_HERE)
    workers.tasks.clear()
    assert workers.asker.parts(STORE, ALL, [0], STALE)[0].rows == (row(b"a"),)
    assert [worker for worker, _ in workers.asked] == [KEEPER]
    workers.of_copies[ANOTHER] = structs.replace(NOT_HERE, partition=1)
    with pytest.raises(StoreNotReadyError, match="task 0_1: no worker has its task"):
        workers.asker.parts(STORE, ALL, [1], replace(STALE, seconds=0))


def test_a_task_that_runs_needs_no_copy() -> None:
    workers = with_copies(Part(0, (row(b"own"),)), keeper=Part(0), another=Part(0))
    assert workers.asker.parts(STORE, ALL, [0], STALE)[0].worker == FIRST
    assert [worker for worker, _ in workers.asked] == [FIRST]


def test_a_copy_is_read_only_if_stale_rows_will_do() -> None:
    workers = with_copies(NOT_HERE, keeper=Part(0), another=Part(0))
    with pytest.raises(StoreNotReadyError, match="task 0_0: the task is not here"):
        workers.asker.parts(STORE, ALL, [0], replace(WISHES, seconds=0))
    assert [worker for worker, _ in workers.asked] == [FIRST]


def test_a_store_without_standbys_has_no_copies() -> None:
    in_memory: Any = SimpleNamespace(has_standbys=False)
    workers = with_copies(NOT_HERE, keeper=Part(0), another=Part(0))
    store, options = replace(STORE, plan=in_memory), replace(STALE, seconds=0)
    with pytest.raises(StoreNotReadyError):
        workers.asker.parts(store, ALL, [0], options)
    assert [worker for worker, _ in workers.asked] == [FIRST]


def test_what_a_copy_would_refuse_as_well_is_not_asked_again() -> None:
    refused = Part(0, failure="refused", message="no")
    workers = with_copies(refused, keeper=Part(0), another=Part(0))
    with pytest.raises(QueryError, match="partition 0: no"):
        workers.asker.parts(STORE, ALL, [0], STALE)
    assert len(workers.asked) == 1


def test_a_task_that_hangs_leaves_time_for_its_copies() -> None:
    workers = with_copies(NOT_HERE, keeper=Part(0), another=Part(0))
    workers.asker.parts(STORE, ALL, [0], STALE)
    assert workers.asked[0][1].seconds <= STALE.seconds / 2


def test_workers_that_answer_do_not_wait_for_those_that_hang() -> None:
    """Scans that wait for a worker took all threads, and questions to others waited for these."""
    hung: list[Ended] = []

    def begin(worker: Worker, question: Question, ended: Ended) -> Callable[[], None]:
        if worker == FIRST:
            hung.append(ended)
        else:
            ended(Answer(question.number, tuple(Part(each) for each in question.partitions)))
        return lambda: None

    def ask(*_: object) -> Answer | None:
        pytest.fail("no thread waits")

    third: Worker = ("third", 3)
    owners = {FIRST: {"0_0": "running"}, SECOND: {"0_1": "running"}, third: {"0_2": "running"}}
    asker = Asker(lambda: list(owners.items()), ask, begin=begin)

    def scan() -> None:
        with pytest.raises(StoreNotReadyError):
            asker.parts(STORE, ALL, [0, 1], ReadOptions(seconds=20.0))

    scans = [threading.Thread(target=scan) for _ in range(40)]
    for one in scans:
        one.start()
    until = time.monotonic() + 30
    while len(hung) < 40:
        assert time.monotonic() < until, "all scans have begun"
        time.sleep(0.001)
    assert set(asker.parts(STORE, ALL, [1, 2], ReadOptions(seconds=5.0))) == {1, 2}
    for ended in hung:
        ended(Answer(0, (Part(0, failure="not_ready", message="of the test"),)))
    for one in scans:
        one.join(30)
        assert not one.is_alive()


def test_the_time_of_a_question_ends_though_a_worker_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_GRACE_SECONDS", 0.0)
    dropped: list[Worker] = []

    def begin(worker: Worker, question: Question, ended: Ended) -> Callable[[], None]:
        if worker == SECOND:
            ended(Answer(question.number, (Part(2),)))
        return lambda: dropped.append(worker)

    tasks = {FIRST: {"0_0": "running"}, SECOND: {"0_2": "running"}}
    asker = Asker(lambda: list(tasks.items()), lambda *_: None, begin=begin)
    with pytest.raises(StoreNotReadyError, match=r"task 0_0: its worker did not answer in time"):
        asker.parts(STORE, ALL, [0, 2], ReadOptions(seconds=0.05))
    assert sorted(dropped) == [FIRST, SECOND]


def test_a_worker_that_is_gone_and_one_that_refuses_are_told() -> None:
    def ask(worker: Worker, _question: Question) -> Answer | None:
        if worker == SECOND:
            msg = "too long"
            raise QueryError(msg)
        return None

    asker = Asker(Workers().tasks.items, ask, begin=lambda *_: None)
    with pytest.raises(QueryError, match="too long"):
        asker.parts(STORE, ALL, [0, 1, 2], WISHES)


def test_a_closed_application_is_not_asked() -> None:
    first = Part(2, (row(b"a"),), cursor=9)
    workers = Workers(p2=[first], p9=[Part(2, (row(b"b"),))])
    rows = scan(workers, 2)
    assert next(rows) == row(b"a")
    workers.asker.close()
    workers.asked.clear()
    for ask in (
        lambda: next(rows),
        lambda: workers.asker.parts(STORE, ALL, [0, 1, 2], ReadOptions(seconds=60)),
        lambda: workers.asker.answers(STORE, ALL, [0, 2], WISHES),
    ):
        with pytest.raises(StoreNotReadyError, match=r"'counts' cannot be asked: .* is closed$"):
            ask()
    assert workers.asked == []


def test_a_question_that_waits_for_a_task_ends_with_the_application() -> None:
    workers = Workers()
    workers.tasks.clear()
    closing = threading.Timer(0.05, workers.asker.close)
    closing.start()
    with pytest.raises(StoreNotReadyError, match="its application is closed"):
        workers.asker.parts(STORE, ALL, [1], ReadOptions(seconds=60))
    closing.join()
