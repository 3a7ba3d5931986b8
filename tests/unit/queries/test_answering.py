"""Every query against every kind of store: real stores, server and asker; only the way between
driver and worker is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from penstock import Processor, Record, StreamsBuilder, StreamsConfig, Topology, serdes
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.queries.asking import Asker, ReadOptions, Worker
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.questions import GLOBAL, Answer, Question
from penstock._engine.queries.questions import Position as Offsets
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.runtime.task import Task
from penstock.errors import QueryError
from penstock.queries import (
    FailureReason,
    KeyQuery,
    MultiVersionedKeyQuery,
    Position,
    PositionBound,
    Query,
    QueryIterator,
    RangeQuery,
    StateQueryRequest,
    StateQueryResult,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    VersionedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from penstock.queries.answering import answer
from penstock.stores import Stores, ValueAndTimestamp, VersionedRecord
from penstock.windowed import Windowed
from tests.unit.engine.runtime.test_task import hosted

HOUR = 3_600_000
TEXT: dict[str, Any] = {"key": serdes.string(), "value": serdes.string()}
CONFIG = StreamsConfig({"application.id": "app"})
WORKER: Worker = ("member", 7)

STORES = {
    "plain": Stores.persistent_key_value_store("plain", **TEXT),
    "timed": Stores.timestamped_key_value_store("timed", **TEXT),
    "window": Stores.persistent_window_store("window", retention=HOUR, window_size=10, **TEXT),
    "timed-window": Stores.timestamped_window_store(
        "timed-window", retention=HOUR, window_size=10, **TEXT
    ),
    "session": Stores.persistent_session_store("session", retention=HOUR, **TEXT),
    "versioned": Stores.versioned_key_value_store("versioned", history_retention=HOUR, **TEXT),
}


def fill(store: str, face: Any) -> None:
    """Write to a store of each kind what the expectations below say."""
    for key, value, time in (("a", "1", 10), ("b", "2", 20), ("c", "3", 30), ("a", "4", 40)):
        if store == "plain":
            face.put(key, value)
        elif store == "timed":
            face.put(key, ValueAndTimestamp(value, time))
        elif store == "timed-window":
            face.put(key, ValueAndTimestamp(value, time + 5), time)
        elif store == "session":
            face.put(Windowed(key, time, time + 5), value)
        else:
            face.put(key, value, time)


class Idle(Processor[Any, Any, Any, Any]):
    """Has a store and leaves it alone."""

    def process(self, record: Record[Any, Any]) -> None: ...


def program(store: str) -> Callable[[StreamsBuilder], None]:
    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(STORES[store])
        builder.stream("in").process(Idle, state_stores=[store])

    return build


def topology(store: str) -> Topology:
    builder = StreamsBuilder()
    program(store)(builder)
    return builder.build()


class FilledTask:
    """A task of a worker with one store; the test says whether it is restored and how far it is."""

    is_ready = True

    def __init__(self, store: str, partition: int) -> None:
        self.partition = partition
        self.offset = 4
        self.made: Task = hosted(program(store), {})
        if partition == 0:
            fill(store, self.made.stores[store])

    def has_store(self, name: str) -> bool:
        return self.store(name) is not None

    def store(self, name: str) -> TaskStore | None:
        return self.made.task_store(name)

    def position(self, *, uncommitted: bool) -> Offsets:
        del uncommitted
        return {"in": {self.partition: self.offset}}

    def offsets_behind(self) -> int:
        return 12

    def restore_progress(self, store: str) -> tuple[int, int] | None:
        return None if self.is_ready else (88, 100)


class Asked:
    """A store of two partitions that one worker has; the rows are in partition 0."""

    def __init__(self, store: str) -> None:
        (plan,) = plan_subtopologies(topology(store), "app")
        self.entry = StoreEntry(store, plan.stores[store], {0: "0_0", 1: "0_1"}, 2)
        self.tasks = [FilledTask(store, 0), FilledTask(store, 1)]
        self.states = {"0_0": "running", "0_1": "running"}
        self.server = QueryServer()
        self.questions: list[Question] = []
        self.busy: Answer | None = None
        self.copied: set[str] = set()
        self.asker = Asker(
            lambda: [(WORKER, self.states)], self._ask, lambda: [(WORKER, self.copied)]
        )

    def query(self, query: Query[Any], **wanted: Any) -> StateQueryResult[Any]:
        request = StateQueryRequest(self.entry.name, query, **wanted)
        options = ReadOptions(uncommitted=True, stale_ok=not request.require_active, rows_max=2)
        return answer(request, self.entry, (self.asker, CONFIG, options))

    def _ask(self, worker: Worker, question: Question) -> Answer | None:
        assert worker == WORKER
        self.questions.append(question)
        return self.busy or self.server._answer(question, list(self.tasks))


def shown(result: Any) -> Any:
    return list(result) if isinstance(result, QueryIterator) else result


TIMED = [("a", ValueAndTimestamp("4", 40)), ("b", ValueAndTimestamp("2", 20))]
TIMED += [("c", ValueAndTimestamp("3", 30))]
BARE = [("a", "4"), ("b", "2"), ("c", "3")]
WINDOWS = [
    (Windowed("a", 10, 20), "1"),
    (Windowed("b", 20, 30), "2"),
    (Windowed("c", 30, 40), "3"),
    (Windowed("a", 40, 50), "4"),
]
SESSIONS = [(Windowed("a", 10, 15), "1"), (Windowed("a", 40, 45), "4")]
OLD, NEW = VersionedRecord("1", 10, 40), VersionedRecord("4", 40)

ANSWERS: list[tuple[str, Query[Any], Any]] = [
    ("plain", KeyQuery("a"), "4"),
    ("plain", KeyQuery("z"), None),
    ("plain", RangeQuery(), BARE),
    ("plain", RangeQuery("b"), BARE[1:]),
    ("plain", RangeQuery(upper="b"), BARE[:2]),
    ("plain", RangeQuery("b", "b"), BARE[1:2]),
    ("plain", RangeQuery(descending=True), BARE[::-1]),
    ("plain", RangeQuery("c", "a"), []),
    ("timed", KeyQuery("a"), "4"),
    ("timed", RangeQuery("a", "b"), BARE[:2]),
    ("timed", TimestampedKeyQuery("a"), ValueAndTimestamp("4", 40)),
    ("timed", TimestampedKeyQuery("z"), None),
    ("timed", TimestampedRangeQuery(), TIMED),
    ("timed", TimestampedRangeQuery("b", descending=True), TIMED[:0:-1]),
    ("window", WindowKeyQuery("a"), [(10, "1"), (40, "4")]),
    ("window", WindowKeyQuery("a", 11, 40), [(40, "4")]),
    ("window", WindowKeyQuery("z"), []),
    ("window", WindowRangeQuery(time_from=20, time_to=40), sorted(WINDOWS[1:])),
    ("timed-window", WindowKeyQuery("b"), [(20, ValueAndTimestamp("2", 25))]),
    (
        "timed-window",
        WindowRangeQuery(time_from=30, time_to=30),
        [(Windowed("c", 30, 40), ValueAndTimestamp("3", 35))],
    ),
    ("session", WindowRangeQuery("a"), SESSIONS),
    ("session", WindowRangeQuery("z"), []),
    ("versioned", VersionedKeyQuery("a"), NEW),
    ("versioned", VersionedKeyQuery("a", as_of=39), OLD),
    ("versioned", VersionedKeyQuery("a", as_of=9), None),
    ("versioned", MultiVersionedKeyQuery("a"), [NEW, OLD]),
    ("versioned", MultiVersionedKeyQuery("a", newest_first=False), [OLD, NEW]),
    ("versioned", MultiVersionedKeyQuery("a", time_to=39), [OLD]),
    ("versioned", MultiVersionedKeyQuery("a", time_from=40), [NEW]),
    ("versioned", MultiVersionedKeyQuery("z"), []),
]


@pytest.mark.parametrize(("store", "query", "expected"), ANSWERS)
def test_a_query_has_the_result_of_each_partition(
    store: str, query: Query[Any], expected: Any
) -> None:
    result = Asked(store).query(query)
    assert [*result.partition_results] == [0, 1]
    assert all(one.is_success for one in result.partition_results.values())
    found = shown(result.partition_results[0].result)
    assert (sorted(found) if isinstance(query, WindowRangeQuery) else found) == expected
    assert not shown(result.partition_results[1].result)
    assert result.position == Position({"in": {0: 4, 1: 4}})


@pytest.mark.parametrize("query", {repr(query): query for _, query, _ in ANSWERS}.values(), ids=str)
@pytest.mark.parametrize("store", STORES)
def test_only_stores_that_know_a_query_answer_it(store: str, query: Query[Any]) -> None:
    asked = Asked(store)
    known = {
        (name, type(one), isinstance(one, WindowRangeQuery) and one.key is None)
        for name, one, _ in ANSWERS
    }
    of_times = isinstance(query, WindowRangeQuery) and query.key is None
    results = asked.query(query).partition_results.values()
    if (store, type(query), of_times) in known:
        assert all(one.is_success for one in results)
        return
    assert {one.failure_reason for one in results} == {FailureReason.UNKNOWN_QUERY_TYPE}
    assert f"store '{store}' of kind" in next(iter(results)).failure_message
    assert asked.questions == []


def reasons(result: StateQueryResult[Any]) -> dict[int, FailureReason | None]:
    return {each: one.failure_reason for each, one in result.partition_results.items()}


def test_only_the_partitions_that_were_named_are_asked() -> None:
    asked = Asked("plain")
    result = asked.query(KeyQuery("a"), partitions=[0])
    assert [one.partitions for one in asked.questions] == [(0,)]
    assert [*result.partition_results] == [0]


def test_a_partition_that_the_store_has_not_does_not_exist() -> None:
    result = Asked("plain").query(KeyQuery("a"), partitions=[0, 2])
    assert reasons(result) == {0: None, 2: FailureReason.DOES_NOT_EXIST}
    assert result.partition_results[2].failure_message == (
        "store 'plain' has no partition 2; it has 2"
    )


def test_a_partition_without_a_worker_is_not_present() -> None:
    asked = Asked("plain")
    del asked.states["0_1"]
    result = asked.query(KeyQuery("a"))
    assert reasons(result) == {0: None, 1: FailureReason.NOT_PRESENT}
    assert result.partition_results[1].failure_message == "no worker has its task"


def test_a_task_that_has_moved_is_not_present() -> None:
    asked = Asked("plain")
    asked.tasks.pop()
    assert reasons(asked.query(KeyQuery("a"))) == {0: None, 1: FailureReason.NOT_PRESENT}


def test_a_worker_that_is_busy_says_with_what() -> None:
    asked = Asked("plain")
    asked.busy = Answer(1, busy="in function f")
    result = asked.query(KeyQuery("a"), partitions=[0]).partition_results[0]
    assert result.failure_reason is FailureReason.NOT_PRESENT
    assert result.failure_message == "its worker is busy: in function f"


def test_a_copy_that_is_restored_answers_unless_an_active_one_is_required() -> None:
    asked = Asked("plain")
    asked.tasks[0].is_ready = False
    assert reasons(asked.query(KeyQuery("a"))) == {0: None, 1: None}
    result = asked.query(KeyQuery("a"), require_active=True)
    assert reasons(result) == {0: FailureReason.NOT_ACTIVE, 1: None}
    assert "12 changelog records are left" in result.partition_results[0].failure_message


def test_a_store_that_raises_is_a_failure_of_its_partition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Asked("plain")
    store = asked.tasks[1].store("plain")
    assert store is not None

    def broken(*, uncommitted: bool) -> Any:
        msg = f"the disk is gone, uncommitted={uncommitted}"
        raise OSError(msg)

    monkeypatch.setattr(store, "reader", broken)
    result = asked.query(KeyQuery("a"))
    assert reasons(result) == {0: None, 1: FailureReason.STORE_EXCEPTION}
    assert result.partition_results[1].failure_message == (
        "OSError: the disk is gone, uncommitted=True"
    )


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        (None, {0: None, 1: None}),
        (PositionBound.unbounded(), {0: None, 1: None}),
        (Position({"in": {0: 4}}), {0: None, 1: None}),
        (PositionBound.at(Position({"in": {0: 5}})), {0: FailureReason.NOT_UP_TO_BOUND, 1: None}),
        (Position({"in": {0: 5, 1: 4}}), {0: FailureReason.NOT_UP_TO_BOUND, 1: None}),
        (Position({"other": {1: 0}}), {0: None, 1: FailureReason.NOT_UP_TO_BOUND}),
        (Position({"in": {7: 100}}), {0: None, 1: None}),
    ],
)
def test_a_bound_counts_for_its_own_partition_only(bound: Any, expected: Any) -> None:
    result = Asked("plain").query(KeyQuery("a"), position_bound=bound)
    assert reasons(result) == expected
    assert result.position == Position({"in": {0: 4, 1: 4}})


def test_the_position_of_a_result_bounds_the_next_request() -> None:
    asked = Asked("plain")
    seen = asked.query(KeyQuery("a")).position
    asked.tasks[0].offset = 3  # the task was lost, and is behind on another worker
    result = asked.query(KeyQuery("a"), position_bound=seen)
    assert reasons(result) == {0: FailureReason.NOT_UP_TO_BOUND, 1: None}
    asked.tasks[0].offset = 9
    assert reasons(asked.query(KeyQuery("a"), position_bound=seen)) == {0: None, 1: None}


def test_ranges_are_read_page_by_page() -> None:
    asked = Asked("plain")
    rows = asked.query(RangeQuery(), partitions=[0]).partition_results[0].result
    assert len(asked.questions) == 1
    assert rows is not None
    with rows:
        assert [*rows] == BARE
    assert [one.cursor is None for one in asked.questions] == [True, False]


def test_a_global_store_has_one_result() -> None:
    asked = Asked("plain")
    asked.entry = replace(asked.entry, tasks={GLOBAL: "global"}, partition_count=1)
    asked.tasks[0].partition = GLOBAL
    result = asked.query(KeyQuery("a"), partitions=[5])
    assert result.partition_results == {}
    assert result.global_result is not None
    assert result.global_result.result == "4"


@pytest.mark.parametrize("key", [None, 5])
def test_a_key_that_the_serde_does_not_take_is_refused(key: Any) -> None:
    with pytest.raises(QueryError, match="store 'plain' has no"):
        Asked("plain").query(KeyQuery(key))
