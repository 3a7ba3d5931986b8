"""Questions on one thread, answers on another: pages, cursors, tasks that are not ready."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from penstock._clock import monotonic
from penstock._engine.queries import open_scans
from penstock._engine.queries import query_server as module
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.questions import (
    ANSWER_BYTES_MAX,
    BEHIND_LAST_ROW,
    Answer,
    Part,
    Position,
    Question,
    Read,
)
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.state.marking import ROWS_PER_MARK
from tests.unit.engine.queries.test_reading import opened
from tests.unit.engine.runtime.test_task import raws

PATIENCE_SECONDS = 30.0


class FakeTask:
    """A task with a store of one kind; the test says whether it is restored."""

    partition = 0
    is_ready = True

    def __init__(self, records: int = 0) -> None:
        self.made = opened("plain")
        store = self.store("plain")
        assert store is not None
        for number in range(records):
            store.face.put(b"%04d" % number, b"v" * 10)
        if records:
            self.made.add_records("in", 0, raws(1))
            self.made.process(1, 1)
            self.made.prepare_commit()
            self.made.drain()
            self.made.committed()

    def has_store(self, name: str) -> bool:
        return self.store(name) is not None

    def store(self, name: str) -> TaskStore | None:
        return self.made.task_store(name)

    def position(self, *, uncommitted: bool) -> Position:
        return {"in": {0: 5 if uncommitted else 4}}

    def offsets_behind(self) -> int:
        return 1234

    def restore_progress(self, store: str) -> tuple[int, int] | None:
        return None if self.is_ready else (66, 1300)


class Busy:
    """An engine that says what it does."""

    def doing(self) -> str:
        return "in function f"

    def wake(self) -> bool:
        return True


BUSY = Busy()


@pytest.fixture
def server() -> QueryServer:
    return QueryServer()


@pytest.fixture
def served(server: QueryServer) -> Iterator[Callable[[Question, Any], Answer]]:
    """Ask with another thread as engine."""
    stop = threading.Event()
    tasks: list[Any] = []

    def engine() -> None:
        while not stop.wait(0.001):
            if server.has_questions:
                server.serve(tasks)

    thread = threading.Thread(target=engine)
    thread.start()

    def ask(question: Question, task: Any) -> Answer:
        tasks[:] = [] if task is None else [task]
        (answer,) = server.ask([question], BUSY)
        return answer

    yield ask
    stop.set()
    thread.join()


ALL = Question(1, "plain", Read("range"), (0,), rows_max=10)


def test_a_scan_comes_page_by_page_each_row_once(served: Any) -> None:
    task = FakeTask(records=25)
    part = served(ALL, task).parts[0]
    keys, sizes = [row[0] for row in part.rows], [len(part.rows)]
    while part.cursor is not None:
        follow = Question(1, "plain", Read("range"), (0,), rows_max=10, cursor=part.cursor)
        part = served(follow, task).parts[0]
        keys += [row[0] for row in part.rows]
        sizes.append(len(part.rows))
    # The record that was processed has written an entry of its own.
    assert [key for key in keys if len(key) == 4] == [b"%04d" % number for number in range(25)]
    assert sizes[:2] == [10, 10]
    assert part.position == {"in": {0: 4}}


def test_a_cursor_is_good_once(served: Any) -> None:
    task = FakeTask(records=25)
    cursor = served(ALL, task).parts[0].cursor
    follow = Question(1, "plain", Read("range"), (0,), rows_max=10, cursor=cursor)
    assert served(follow, task).parts[0].failure is None
    again = served(follow, task).parts[0]
    assert (again.failure, again.rows) == ("absent", ())


def test_a_cursor_is_of_one_store_and_partition(served: Any) -> None:
    task = FakeTask(records=25)
    cursor = served(ALL, task).parts[0].cursor
    right = Question(1, "plain", Read("range"), (0,), rows_max=10, cursor=cursor)
    for wrong in (replace(right, store="other"), replace(right, partitions=(1,))):
        assert served(wrong, task).parts[0].failure == "absent"
    assert len(served(right, task).parts[0].rows) == 10


def test_a_cursor_of_a_worker_that_was_replaced_means_no_scan_of_its_successor() -> None:
    """REPLACE_THREAD makes a new server under the same member id and process."""
    task, before, after = FakeTask(records=25), QueryServer(), QueryServer()
    ours = before._answer(ALL, [task]).parts[0].cursor
    theirs = after._answer(ALL, [task]).parts[0].cursor
    assert ours is not None
    assert theirs is not None
    follow = Question(1, "plain", Read("range"), (0,), rows_max=10, cursor=ours)
    assert after._answer(follow, [task]).parts[0].failure == "absent"


def test_old_cursors_give_way(
    served: Any, server: QueryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server._cursors, "_open_max", 2)
    task = FakeTask(records=25)
    cursors = [served(ALL, task).parts[0].cursor for _ in range(3)]
    follow = Question(1, "plain", Read("range"), (0,), rows_max=10, cursor=cursors[0])
    assert served(follow, task).parts[0].failure == "absent"
    assert len(server._cursors) == 2


def test_a_scan_whose_time_is_over_does_not_wait_for_the_next_question(
    served: Any, server: QueryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served(ALL, FakeTask(records=25)).parts[0].cursor is not None
    assert len(server._cursors) == 1
    later = monotonic() + open_scans.OPEN_SECONDS
    monkeypatch.setattr(open_scans, "monotonic", lambda: later)
    server.drop_old()
    assert len(server._cursors) == 0


def test_a_page_is_limited_in_bytes(served: Any) -> None:
    part = served(replace(ALL, bytes_max=50), FakeTask(records=25)).parts[0]
    assert len(part.rows) == 4
    assert part.cursor is not None


@pytest.mark.parametrize("bytes_max", [ANSWER_BYTES_MAX, 50, 1])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_range_that_is_asked_for_anew_keeps_nothing(
    bytes_max: int, reverse: bool, served: Any, server: QueryServer
) -> None:
    task, read = FakeTask(records=25), Read("range", reverse=reverse, anew=True)
    keys: list[bytes] = []
    while True:
        (part,) = served(replace(ALL, read=read, bytes_max=bytes_max), task).parts
        keys += [row[0] for row in part.rows]
        assert len(server._cursors) == 0
        if part.cursor is None:
            break
        assert part.cursor == BEHIND_LAST_ROW
        read = read.behind(keys[-1])
    in_order = [key for key in keys if len(key) == 4]
    assert in_order == sorted((b"%04d" % number for number in range(25)), reverse=reverse)


def test_a_worker_sets_the_limit_of_what_is_asked_of_it() -> None:
    for asked, room in ((1 << 40, ANSWER_BYTES_MAX), (50, 50), (0, 1), (-5, 1)):
        assert replace(ALL, bytes_max=asked).room == room


def test_the_pages_of_an_answer_share_its_room(server: QueryServer) -> None:
    small = replace(ALL, bytes_max=50)
    tasks = [FakeTask(records=25) for _ in range(8)]
    for number, task in enumerate(tasks):
        task.partition = number
    answer = server._answer(replace(small, partitions=tuple(range(8))), [*tasks])
    sizes = [len(part.rows) for part in answer.parts]
    # Each row has 14 bytes: with the fourth the room is used up.
    assert sizes == [1, 1, 1, 1, 0, 0, 0, 0]
    assert all(part.cursor is not None for part in answer.parts)
    for part, task in zip(answer.parts, tasks, strict=True):
        found, cursor = len(part.rows), part.cursor
        while cursor is not None:
            asked = replace(small, partitions=(task.partition,), cursor=cursor)
            (page,) = server._answer(asked, [*tasks]).parts
            found, cursor = found + len(page.rows), page.cursor
        assert found >= 25


def test_keys_are_read_of_the_partition_that_they_are_for(server: QueryServer) -> None:
    tasks = [FakeTask(records=3), FakeTask(records=3)]
    tasks[1].partition = 1
    question = Question(1, "plain", Read("get"), (0, 1), keys=((b"0000", b"0002"), (b"0001",)))
    answer = server._answer(question, [*tasks])
    assert [[row[0] for row in part.rows] for part in answer.parts] == [
        [b"0000", b"0002"],
        [b"0001"],
    ]


def test_a_task_that_restores_says_how_far_it_is(served: Any) -> None:
    task = FakeTask(records=3)
    task.is_ready = False
    part = served(ALL, task).parts[0]
    assert (part.failure, part.offsets_behind) == ("not_ready", 1234)
    assert part.message == "the store is being restored: 1,234 changelog records are left"
    stale = Question(1, "plain", Read("range"), (0,), stale_ok=True)
    part = served(stale, task).parts[0]
    assert part.failure is None
    assert part.offsets_behind == 1234
    assert len(part.rows) >= 3


def test_a_store_says_how_far_it_is_restored(served: Any) -> None:
    task = FakeTask()
    progress = Question(1, "plain", Read("restoring"), (0,))
    assert served(progress, task).parts[0] == Part(0)
    task.is_ready = False
    assert served(progress, task).parts[0] == Part(0, ((b"", b"", None, 66, 1300),))


@pytest.mark.parametrize(
    ("question", "failure", "message"),
    [
        (Question(1, "plain", Read("range"), (7,)), "absent", "the task is not here"),
        (Question(1, "other", Read("range"), (0,)), "absent", "the task is not here"),
        (
            Question(1, "plain", Read("windows", (b"a",)), (0,)),
            "refused",
            "store 'plain' is a KeyValueStore: it has no 'windows'",
        ),
    ],
)
def test_what_cannot_be_answered_says_why(
    question: Question, failure: str, message: str, served: Any
) -> None:
    part = served(question, FakeTask()).parts[0]
    assert (part.failure, part.message) == (failure, message)


def test_an_engine_that_is_busy_is_told_in_time(server: QueryServer) -> None:
    question = Question(3, "plain", Read("range"), (0,), seconds=0.01)
    assert server.ask([question], BUSY) == (Answer(3, (), "in function f"),)


def test_a_server_that_is_closed_has_no_tasks(server: QueryServer) -> None:
    question = Question(3, "plain", Read("range"), (0,), seconds=PATIENCE_SECONDS)
    absent = (Answer(3, (Part(0, failure="absent", message="the task is not here"),)),)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(server.ask([question], BUSY)))
    thread.start()
    until = time.monotonic() + PATIENCE_SECONDS
    while not server.has_questions:
        assert time.monotonic() < until
        time.sleep(0.001)
    server.close()
    thread.join()
    assert found == [absent]
    assert server.ask([question], BUSY) == absent


def test_nothing_is_kept_of_questions_whose_asker_has_given_up(server: QueryServer) -> None:
    asked = [Question(number, "plain", Read("range"), (0,), seconds=0.01) for number in (3, 4)]
    assert server.ask(asked, BUSY) == (
        Answer(3, (), "in function f"),
        Answer(4, (), "in function f"),
    )
    assert server.has_questions
    task = FakeTask()
    answered: list[str] = []
    task.store = answered.append  # type: ignore[assignment]
    server.serve([task])
    assert not server.has_questions
    assert answered == []


def test_a_page_that_was_cut_is_not_taken_for_a_whole_one(
    server: QueryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the end of the time and the look for answers one came without its cursor."""
    asked = [replace(ALL, number=number) for number in (1, 2)]
    batch = module._Batch(asked)
    part_of: Any = vars(module)["part_of"]

    def cut(*arguments: Any) -> Any:
        batch.abandoned = bool(batch.answers)  # the second answer comes too late
        return part_of(*arguments)

    monkeypatch.setattr(module, "part_of", cut)
    server._batches.append(batch)
    server.serve([FakeTask(records=25)])
    assert [number for number, answer in batch.answers.items() if answer.parts[0].cursor] == [1]
    assert 2 not in batch.answers


def test_a_hasty_question_does_not_end_the_time_of_another(server: QueryServer) -> None:
    asked = [
        Question(1, "plain", Read("range"), (0,), seconds=0.0),
        Question(2, "plain", Read("range"), (0,), seconds=PATIENCE_SECONDS),
    ]
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(server.ask(asked, BUSY)))
    thread.start()
    until = time.monotonic() + PATIENCE_SECONDS
    while not server.has_questions:
        assert time.monotonic() < until
        time.sleep(0.001)
    server.serve([FakeTask()])
    thread.join()
    assert [answer.busy for answer in found] == ["", ""]


@pytest.mark.parametrize("can_wake", [True, False])
def test_only_an_engine_that_cannot_be_woken_waits_shortly_after_a_question(
    can_wake: bool, server: QueryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_HOT_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(BUSY, "wake", lambda: can_wake)
    assert not server.is_hot
    server.ask([Question(1, "plain", Read("range"), (0,), seconds=0.0)], BUSY)
    assert server.is_hot is not can_wake


def test_an_empty_store_has_an_empty_answer(served: Any) -> None:
    part = served(ALL, FakeTask()).parts[0]
    assert part == Part(0, (), None, {"in": {0: 4}})


SELDOM = Question(1, "window", Read("window_range", time_from=9000), (0,), rows_max=10)
"""Of the rows of `WindowTask` the last one."""


class WindowTask(FakeTask):
    """A task with windows of many keys at one time, and of one key later."""

    def __init__(self) -> None:
        self.made = opened("window")
        store = self.store("window")
        assert store is not None
        for number in range(2 * module._MARKS_MAX * ROWS_PER_MARK):
            store.face.put(b"%06d" % number, b"v", 1000)
        store.face.put(b"last", b"v", 9000)


def test_a_scan_that_passes_over_many_rows_lets_the_engine_go_on(server: QueryServer) -> None:
    task = WindowTask()
    asked = replace(SELDOM, uncommitted=True)
    pages: list[list[bytes]] = []
    cursor: int | None = None
    while not pages or cursor is not None:
        (part,) = server._answer(replace(asked, cursor=cursor), [task]).parts
        pages.append([row[0] for row in part.rows])
        cursor = part.cursor
    assert pages == [[], [], [b"last"]]


def test_the_partitions_of_an_answer_pass_over_no_more_rows_than_one(
    server: QueryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: list[int] = []

    def part_of(rows: Any, most: tuple[int, int, int], is_over: Any) -> Any:
        marks.append(most[2])
        return (), False

    monkeypatch.setattr(module, "part_of", part_of)
    tasks = [FakeTask() for _ in range(4)]
    for number, task in enumerate(tasks):
        task.partition = number
    server._answer(replace(ALL, partitions=(0, 1, 2, 3)), [*tasks])
    assert sum(marks) == module._MARKS_MAX


def test_a_scan_ends_when_its_asker_has_given_up(server: QueryServer) -> None:
    (part,) = server._answer(
        replace(SELDOM, uncommitted=True), [WindowTask()], is_over=lambda: True
    ).parts
    assert (part.rows, part.cursor) == ((), None)
    assert len(server._cursors) == 0
