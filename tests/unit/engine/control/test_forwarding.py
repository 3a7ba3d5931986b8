"""Another driver is asked for what no worker here has, and asked questions are never passed on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from penstock._clock import monotonic
from penstock._engine.control.drivers import Announcement, Driver, Drivers
from penstock._engine.control.forwarding import (
    OTHER_DRIVER,
    DriverNotAsked,
    ForwardedQuestions,
    Forwarding,
)
from penstock._engine.control.protocol import wire
from penstock._engine.queries import open_scans
from penstock._engine.queries.asking import Asker, ReadOptions, Worker
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.key_batch import KeyPlace
from penstock._engine.queries.questions import (
    BEHIND_LAST_ROW,
    GLOBAL,
    Answer,
    Part,
    Question,
    Read,
    Row,
)
from penstock._engine.queries.reading import bytes_of, page_of
from penstock.errors import StoreNotReadyError

PLAN: Any = SimpleNamespace(has_standbys=True)
STORE = StoreEntry("counts", PLAN, {number: f"0_{number}" for number in range(4)}, 4)
ALL, OPTIONS = Read("range"), ReadOptions(seconds=5.0)


def row(number: int, size: int = 0) -> Row:
    return b"%04d" % number, bytes(size), None, None, None


class Side:
    """A driver with one worker that has some tasks; each partition has `rows` rows."""

    def __init__(self, name: str, tasks: dict[str, str], rows: int = 3) -> None:
        self.tasks, self.count, self.size = tasks, rows, 0
        self.standbys: tuple[str, ...] = ()
        self.asked: list[Question] = []
        self.page_sizes: list[int] = []
        self.barren_seconds = 0.0
        """How long a page takes on which no row is; no page has rows meanwhile."""
        self._cursors: dict[int, tuple[int, int]] = {}
        self._numbers = count(1)
        self.drivers = Drivers(Driver(name, f"{name}/1"))
        self.here = Asker(self._assignments, self._answer, self._copies)
        self.forwarded = ForwardedQuestions(self.here, lambda: {"counts": STORE})
        self.peers: dict[str, Callable[[Question], Answer]] = {}
        forwarding = Forwarding(self.drivers, self, self._answer)
        self.everywhere = Asker(
            lambda: forwarding.with_others(self._assignments()),
            forwarding.ask,
            lambda: forwarding.copies_with_others(self._copies()),
        )

    def meet(self, other: Side) -> None:
        announced = other.drivers.everyone(other.tasks, other.standbys)[0]
        self.drivers.hear(announced.id, wire.encode(Announcement(1, announced)))
        self.peers[announced.id] = other.forwarded.answer

    def ask(self, driver: Driver, question: Question) -> Answer:
        """Ask another driver, through the bytes that would travel."""
        asked = wire.decode(wire.encode(question), Question)
        return wire.decode(wire.encode(self.peers[driver.id](asked)), Answer)

    def close(self) -> None: ...

    def _assignments(self) -> list[tuple[Worker, dict[str, str]]]:
        return [((f"{self.drivers.own.id}-worker", 1), self.tasks)]

    def _copies(self) -> list[tuple[Worker, tuple[str, ...]]]:
        return [((f"{self.drivers.own.id}-worker", 1), self.standbys)]

    def _answer(self, worker: Worker, question: Question) -> Answer:
        assert worker[1] == 1
        self.asked.append(question)
        if question.cursor is not None:
            partition, begin = self._cursors.pop(question.cursor)
            return Answer(0, (self._part(partition, begin, question),))
        return Answer(0, tuple(self._first_part(each, question) for each in question.partitions))

    def _first_part(self, partition: int, question: Question) -> Part:
        task = f"0_{partition}"
        if task in self.tasks:
            return self._part(partition, 0, question)
        if question.stale_ok and task in self.standbys:
            return replace(self._part(partition, 0, question), offsets_behind=5)
        return Part(partition, failure="absent", message="the task is not here")

    def _part(self, partition: int, begin: int, question: Question) -> Part:
        rows = [row(4 * number + partition, self.size) for number in range(self.count)]
        if question.read.begins_behind:
            begin = 1 + [key for key, *_ in rows].index(question.read.key_from or b"")
        time.sleep(self.barren_seconds)
        rows_max = 0 if self.barren_seconds else question.rows_max
        page = page_of(iter(rows[begin:]), rows_max, question.room)
        self.page_sizes.append(bytes_of(page))
        cursor = None
        if begin + len(page) < self.count and question.read.anew:
            cursor = BEHIND_LAST_ROW
        elif begin + len(page) < self.count:
            cursor = next(self._numbers)
            self._cursors[cursor] = partition, begin + len(page)
        return Part(partition, page, cursor, {"in": {partition: 7}})


def pair(rows: int = 3) -> tuple[Side, Side]:
    first = Side("first", {"0_0": "running", "0_1": "running"}, rows)
    second = Side("second", {"0_2": "running", "0_3": "running"}, rows)
    first.meet(second)
    second.meet(first)
    return first, second


def test_either_side_has_all_partitions_with_their_positions() -> None:
    for side in pair():
        parts = side.everywhere.parts(STORE, ALL, range(4), OPTIONS)
        assert {each: len(part.rows) for each, part in parts.items()} == dict.fromkeys(range(4), 3)
        assert all(part.position == {"in": {each: 7}} for each, part in parts.items())
        # What is elsewhere is no worker of this side.
        assert len(side.here.owners(STORE)) == 2


def test_one_question_goes_to_a_driver_and_none_comes_back() -> None:
    first, second = pair()
    first.everywhere.parts(STORE, ALL, [1, 2, 3], OPTIONS)
    assert [question.partitions for question in second.asked] == [(2, 3)]
    # The second does not have 1, and does not ask the first for it.
    answer = second.forwarded.answer(Question(5, "counts", ALL, (1, 9)))
    assert answer == Answer(5, (Part(1, failure="absent", message="no worker has its task"),))
    assert len(first.asked) == 1


def scanned(asker: Asker, options: ReadOptions) -> Iterator[Row]:
    """Return the rows of partition 2."""
    yield from asker.pages(STORE, asker.parts(STORE, ALL, [2], options)[2], options)


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 100])
def test_a_scan_of_another_driver_comes_in_pages(rows: int) -> None:
    first, second = pair(rows)
    options = ReadOptions(seconds=5.0, rows_max=8)
    found = [*scanned(first.everywhere, options)]
    assert found == [row(4 * number + 2) for number in range(rows)]
    assert len(second.forwarded._scans) == 0


def test_a_page_is_limited_in_bytes() -> None:
    first, second = pair(50)
    second.size = 1000
    options = ReadOptions(seconds=5.0, rows_max=20, bytes_max=5000)
    sizes: list[int] = []

    def answer(question: Question) -> Answer:
        said = second.forwarded.answer(question)
        sizes.append(bytes_of(said.parts[0].rows))
        return said

    first.peers["second"] = answer
    rows = scanned(first.everywhere, options)
    assert [key for key, *_ in rows] == [row(4 * number + 2)[0] for number in range(50)]
    # From the worker to its driver, and from this one to the other.
    for pages in (second.page_sizes, sizes):
        assert sum(pages) == 50 * 1004
        assert max(pages) <= 5 * 1004


def test_no_answer_is_longer_than_was_asked_for_however_large_the_rows() -> None:
    # The workers answer a row of each partition, though there is room for less than two.
    first, second = pair(5)
    second.size = 3 << 20
    sizes: list[int] = []

    def answer(question: Question) -> Answer:
        said = second.forwarded.answer(question)
        sizes.append(len(wire.encode(said)))
        return said

    first.peers["second"] = answer
    options = ReadOptions(seconds=5.0, rows_max=1)
    parts = first.everywhere.parts(STORE, ALL, [2, 3], options)
    assert [len(part.rows) for part in parts.values()] == [1, 0]
    for each, part in parts.items():
        keys = [key for key, *_ in first.everywhere.pages(STORE, part, options)]
        assert keys == [row(4 * number + each)[0] for number in range(5)]
    assert max(sizes) < 4 << 20
    assert len(second.forwarded._scans) == 0


def test_a_page_without_rows_is_sent_before_the_time_of_its_question_is_over() -> None:
    """The driver asked the worker for ever, also when the other one had gone."""
    first, second = pair(50)
    second.barren_seconds = 0.02
    (part,) = second.forwarded.answer(Question(1, "counts", ALL, (2,), seconds=5.0)).parts
    page = Question(2, "counts", ALL, (), cursor=part.cursor, seconds=0.1)
    begun = monotonic()
    (part,) = second.forwarded.answer(page).parts
    assert (part.rows, part.failure) == ((), None)
    assert monotonic() - begun < 2.0
    assert part.cursor is not None
    with pytest.raises(StoreNotReadyError, match=r"task 0_2 found no row in 0\.1 seconds"):
        next(scanned(first.everywhere, ReadOptions(seconds=0.1)))
    # The scan has lost nothing.
    second.barren_seconds = 0.0
    (part,) = second.forwarded.answer(replace(page, cursor=part.cursor)).parts
    assert len(part.rows) == 50


@pytest.mark.parametrize("size", [0, 1000, 3 << 20])
def test_a_range_that_is_asked_for_anew_keeps_nothing_at_either_driver(size: int) -> None:
    first, second = pair(9)
    second.size = size
    read, options = Read("range", anew=True), ReadOptions(seconds=5.0, rows_max=4)
    parts = first.everywhere.parts(STORE, read, [2, 3], options)
    for each, part in parts.items():
        rows = first.everywhere.pages_anew(STORE, read, part, options)
        keys = [key for key, *_ in rows]
        assert keys == [row(4 * number + each)[0] for number in range(9)]
    assert len(second.forwarded._scans) == 0
    assert not second._cursors


def test_a_range_that_is_asked_for_anew_follows_its_task() -> None:
    first, second = pair(9)
    read, options = Read("range", anew=True), ReadOptions(seconds=5.0, rows_max=4)
    part = first.everywhere.parts(STORE, read, [2], options)[2]
    rows = first.everywhere.pages_anew(STORE, read, part, options)
    assert next(rows) == row(2)
    first.tasks["0_2"] = second.tasks.pop("0_2")
    assert len(list(rows)) == 8
    assert first.asked


def test_a_cursor_works_once_for_its_store_and_not_for_ever() -> None:
    _, second = pair(50)
    asked = Question(1, "counts", ALL, (2,), rows_max=8)
    (part,) = second.forwarded.answer(asked).parts
    page = Question(2, "counts", ALL, (), rows_max=8, cursor=part.cursor)
    assert second.forwarded.answer(page).parts[0].rows[0] == row(4 * 8 + 2)
    assert "begin it again" in second.forwarded.answer(page).parts[0].message
    # A scan that is begun and left does not stay.
    for _ in range(1200):
        second.forwarded.answer(asked)
    assert len(second.forwarded._scans) == 1000


def test_a_cursor_of_a_driver_that_was_replaced_means_no_scan_of_its_successor() -> None:
    (_, before), (_, after) = pair(50), pair(50)
    asked = Question(1, "counts", ALL, (2,), rows_max=8)
    (part,) = before.forwarded.answer(asked).parts
    after.forwarded.answer(asked)
    page = Question(2, "counts", ALL, (), rows_max=8, cursor=part.cursor)
    assert after.forwarded.answer(page).parts[0].failure == "absent"


def test_a_scan_whose_time_is_over_does_not_wait_for_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, second = pair(50)
    second.forwarded.answer(Question(1, "counts", ALL, (2,), rows_max=8))
    second.forwarded.drop_old()
    assert len(second.forwarded._scans) == 1
    later = monotonic() + open_scans.OPEN_SECONDS
    monkeypatch.setattr(open_scans, "monotonic", lambda: later)
    second.forwarded.drop_old()
    assert len(second.forwarded._scans) == 0


def test_a_scan_whose_worker_is_gone_is_no_end_of_the_rows() -> None:
    first, _ = pair(50)
    rows = scanned(first.everywhere, ReadOptions(seconds=0.0, rows_max=8))
    assert next(rows) == row(2)
    first.peers["second"] = lambda question: Answer(
        question.number, (Part(-1, failure="absent", message="begin it again"),)
    )
    with pytest.raises(StoreNotReadyError, match="task 0_2: begin it again"):
        list(rows)


def test_a_task_that_is_here_is_not_asked_for_elsewhere() -> None:
    """A killed driver claims its tasks until its session is over."""
    first, second = pair()
    for state in ("restoring", "running"):
        first.tasks |= {"0_2": state}
        first.everywhere.parts(STORE, ALL, [2], OPTIONS)
        assert not second.asked
        assert first.everywhere.owners(STORE)[2] == ("first-worker", 1)


def test_the_standby_copy_of_another_driver_answers_where_staleness_is_allowed() -> None:
    first, second = pair()
    second.standbys = ("0_1",)
    first.meet(second)
    del first.tasks["0_1"]
    stale = ReadOptions(stale_ok=True, seconds=5.0)
    part = first.everywhere.parts(STORE, ALL, [1], stale)[1]
    assert (len(part.rows), part.offsets_behind) == (3, 5)
    with pytest.raises(StoreNotReadyError, match="no worker has its task"):
        first.everywhere.parts(STORE, ALL, [1], ReadOptions(seconds=0.1))
    # The owner is not behind: its copies are left alone.
    second.asked.clear()
    first.everywhere.parts(STORE, ALL, [0], stale)
    assert not second.asked


def test_a_global_store_is_read_here() -> None:
    first, _ = pair()
    shared = StoreEntry("plans", PLAN, {GLOBAL: "global"}, 1)
    assert first.everywhere.owners(shared) == {GLOBAL: ("first-worker", 1)}


def test_a_driver_that_does_not_answer_is_asked_again() -> None:
    first, second = pair()
    calls = 0

    def late(question: Question) -> Answer:
        nonlocal calls
        calls += 1
        if calls < 3:
            msg = "driver second/1 does not answer"
            raise DriverNotAsked(msg, again=True)
        return second.forwarded.answer(question)

    first.peers["second"] = late
    assert first.everywhere.parts(STORE, ALL, [2], OPTIONS)[2].rows
    assert calls == 3
    calls = -1000
    with pytest.raises(StoreNotReadyError, match="task 0_2: driver second/1 does not answer; ask"):
        first.everywhere.parts(STORE, ALL, [2], ReadOptions(seconds=0.3))


def test_a_driver_that_cannot_be_asked_is_not_waited_for() -> None:
    first, _ = pair()

    def refused(question: Question) -> Answer:
        msg = "set the same token"
        raise DriverNotAsked(msg, again=False)

    first.peers["second"] = refused
    with pytest.raises(StoreNotReadyError, match=r"task 0_2: set the same token$"):
        first.everywhere.parts(STORE, ALL, [0, 2], ReadOptions(seconds=600))
    answers = first.everywhere.answers(STORE, ALL, [0, 2], OPTIONS)
    assert [answers[each].failure for each in (0, 2)] == [None, "elsewhere"]


def test_a_driver_that_ended_is_not_asked() -> None:
    first, _ = pair()
    owner = first.everywhere.owners(STORE)[2]
    first.drivers.hear("second", None)
    assert 2 not in first.everywhere.owners(STORE)
    answer = first.everywhere._ask(owner, Question(1, "counts", ALL, (2,)))
    assert answer is not None
    assert answer.parts[0].message == "the driver that had it has ended"


def test_the_time_that_is_left_goes_with_the_question() -> None:
    first, second = pair()
    seen: list[float] = []

    def note(question: Question) -> Answer:
        seen.append(question.seconds)
        msg = "not yet"
        raise DriverNotAsked(msg, again=True)

    first.peers["second"] = note
    with pytest.raises(StoreNotReadyError):
        first.everywhere.parts(STORE, ALL, [2], ReadOptions(seconds=0.5))
    assert seen == sorted(seen, reverse=True)
    assert 0 <= seen[-1] < seen[0] <= 0.5
    # A question cannot keep a thread of another driver for as long as it likes.
    second.forwarded.answer(Question(1, "counts", ALL, (2,), seconds=1e9))
    assert second.asked[-1].seconds == 60


def test_a_store_that_the_other_driver_does_not_have_is_unknown() -> None:
    _, second = pair()
    (part,) = second.forwarded.answer(Question(1, "elsewhere", ALL, (0,))).parts
    assert part.failure == "unknown"


def test_only_a_worker_of_this_driver_is_asked_for_a_key_without_waiting() -> None:
    asked: list[Worker] = []

    def begin_get(worker: Worker, *_: object) -> Callable[[], None]:
        asked.append(worker)
        return lambda: None

    first, _ = pair()
    forwarding = Forwarding(first.drivers, first, first._answer, begin_own_get=begin_get)
    common, place = Question(0, "counts", Read("get"), ()), KeyPlace(2, b"k")
    ended: list[Part | None] = []
    assert forwarding.begin_get(("second", OTHER_DRIVER), common, place, ended.append) is None
    assert asked == []
    assert forwarding.begin_get(("first-worker", 1), common, place, ended.append) is not None
    assert asked == [("first-worker", 1)]


def test_what_all_drivers_have_is_put_together_once_for_each_change() -> None:
    first, second = pair()
    forwarding = Forwarding(first.drivers, first, first._answer)
    own = first._assignments()
    joined = forwarding.with_others(own)
    assert [*joined] == [(("second", OTHER_DRIVER), second.tasks), *own]
    assert forwarding.with_others(own) is joined
    second.tasks = {"0_3": "running"}
    second.drivers = Drivers(Driver("second", "second/1"))
    first.meet(second)
    assert [*forwarding.with_others(own)] == [(("second", OTHER_DRIVER), {"0_3": "running"}), *own]
    newer = [(("first-worker", 1), {"0_3": "running"})]
    assert [*forwarding.with_others(newer)] == [(("second", OTHER_DRIVER), {}), *newer]
    first.drivers.hear("second", None)
    assert forwarding.with_others(newer) is newer
