"""The recorded commands for stores, with their reads asked as queries: what Java's stores say.

Puts go to the store as in the case itself; what is told of every read comes from the view of
`KafkaStreams.store(..., uncommitted=True)`, in pages of three rows. The cases of
`conformance/queries` are queries in Java as well (IQv2): theirs go through `KafkaStreams.query`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance import harness, java, store_commands
from conformance.harness import Case
from penstock import Record, StreamsConfig
from penstock._engine.kafka.local_broker.jars import JarsError
from penstock._engine.queries.asking import Asker, ReadOptions, Worker
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.questions import Answer, Position, Question
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.runtime.task import Task
from penstock.queries import (
    KeyQuery,
    MultiVersionedKeyQuery,
    Query,
    QueryIterator,
    RangeQuery,
    StateQueryRequest,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    VersionedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
    view_of,
)
from penstock.queries.answering import answer
from penstock.stores import ValueAndTimestamp, VersionedRecord
from penstock.testing import TopologyTestDriver
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

WITHOUT_READS = {
    "session_store_in_memory_finds_what_ended_between_two_times",
    "versioned_store_gives_until_when_a_version_is_valid",
    "versioned_store_tells_until_when_a_version_is_valid",
}
"""Cases whose commands are for processors only, in Java as well."""
CASES = [
    case
    for case in harness.all_cases(harness.CASES).values()
    if "store_commands" in (case.folder / "program.py").read_text("utf-8")
    and case.name not in WITHOUT_READS
]
QUERY_CASES = list(harness.all_cases(java.QUERY_CASES).values())
PAGE_ROWS = 3


class QueriedTask:
    """The task of a test driver, as queries see it."""

    partition = 0
    is_ready = True

    def __init__(self, task: Task) -> None:
        self._task = task

    def has_store(self, name: str) -> bool:
        return self.store(name) is not None

    def store(self, name: str) -> TaskStore | None:
        return self._task.task_store(name)

    def position(self, *, uncommitted: bool) -> Position:
        del uncommitted
        return {}

    def offsets_behind(self) -> int:
        return 0

    def restore_progress(self, store: str) -> tuple[int, int] | None:
        del store
        return None


Asking = tuple[Asker, StreamsConfig, ReadOptions]


def asked(driver: TopologyTestDriver) -> tuple[StoreEntry, Asking]:
    """Return the store of a driver, and how it is asked."""
    task, server = QueriedTask(driver._task), QueryServer()

    def ask(_worker: Worker, question: Question) -> Answer:
        return server._answer(question, [task])

    store = task.store("store")
    assert store is not None
    entry = StoreEntry("store", store._plan, {0: "0_0"}, 1)
    asker = Asker(lambda: [(("member", 1), {"0_0": "running"})], ask)
    return entry, (asker, driver._task._config, ReadOptions(uncommitted=True, rows_max=PAGE_ROWS))


class Mixed:
    """A store whose reads are queries."""

    reads = 0

    def __init__(self, store: Any, view: Any) -> None:
        self._store, self._view = store, view

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._view, name):
            Mixed.reads += 1
            return getattr(self._view, name)
        return getattr(self._store, name)


class ReadsAreQueries(store_commands.Clerk):
    """Carries out commands on a store; what a view has is asked of the view. Then the processor
    reads it, too: in Java it did, and this counts as a use of what is cached, while a query must
    leave no trace.
    """

    def process(self, record: Record[str, str]) -> None:
        entry, asking = asked(DRIVERS[-1])
        own = self.context.get_state_store("store")
        store = Mixed(own, view_of({"store": entry}, "store", asking))
        for command in record.value.split("; "):
            before = Mixed.reads
            told = self._answer(store, command.split(" "))
            if Mixed.reads > before:
                self._answer(own, command.split(" "))
            if told is not None:
                self.context.forward(record.with_value(f"{command}: {told}"))


class Inquirer(store_commands.Clerk):
    """Puts, or answers queries. Twin: oracle/QueryCommands.java."""

    def process(self, record: Record[str, str]) -> None:
        entry, asking = asked(DRIVERS[-1])
        for command in record.value.split("; "):
            word, *given = command.split(" ")
            if word == "put":
                put(self.context.get_state_store("store"), entry.plan.builder.kind, *given)
                continue
            request = StateQueryRequest("store", QUERIES[word](*given))
            result = answer(request, entry, asking).partition_results[0]
            reason = result.failure_reason
            told = shown(result.result) if reason is None else reason.value
            self.context.forward(record.with_value(f"{command}: {told}"))


def put(store: Any, kind: str, key: str, text: str, time_text: str) -> None:
    time, value = int(time_text), None if text == "-" else text
    if kind == "key_value":
        store.put(key, value)
    elif kind == "timestamped_key_value":
        store.put(key, None if value is None else ValueAndTimestamp(value, time))
    elif kind == "timestamped_window":
        store.put(key, None if value is None else ValueAndTimestamp(value, time + 5), time)
    elif kind == "session":
        store.put(Windowed(key, time, time + 5), value)
    else:
        store.put(key, value, time)


def bounds(kind: Any, *, descending: bool = False) -> Callable[[str, str], Query[Any]]:
    def query(lower: str, upper: str) -> Query[Any]:
        first, last = (None if key == "-" else key for key in (lower, upper))
        made: Query[Any] = kind(first, last, descending=descending)
        return made

    return query


def times(*texts: str) -> tuple[int, ...]:
    return tuple(END_OF_TIME if text == "max" else int(text) for text in texts)


QUERIES: dict[str, Callable[..., Query[Any]]] = {
    "key": KeyQuery,
    "timestamped_key": TimestampedKeyQuery,
    "range": bounds(RangeQuery),
    "descending_range": bounds(RangeQuery, descending=True),
    "timestamped_range": bounds(TimestampedRangeQuery),
    "descending_timestamped_range": bounds(TimestampedRangeQuery, descending=True),
    "windows": lambda key, *at: WindowKeyQuery(key, *times(*at)),
    "window_range": lambda *at: WindowRangeQuery(None, *times(*at)),
    "sessions": WindowRangeQuery,
    "version": VersionedKeyQuery,
    "version_as_of": lambda key, *at: VersionedKeyQuery(key, *times(*at)),
    "versions": lambda key, *at: MultiVersionedKeyQuery(key, *times(*at)),
    "oldest_versions": lambda key, *at: MultiVersionedKeyQuery(
        key, *times(*at), newest_first=False
    ),
    "all_versions": MultiVersionedKeyQuery,
}


def shown(result: Any) -> str:
    """Write a result as `QueryCommands.told` does."""
    match result:
        case None:
            return "-"
        case QueryIterator():
            return f"[{' '.join(map(shown, result))}]"
        case ValueAndTimestamp() | VersionedRecord():
            return f"{result.value}@{result.timestamp}"
        case Windowed():
            return f"{result.key}@{result.start}/{result.end}"
        case (key, value):
            return f"{shown(key)}={shown(value)}"
        case _:
            return str(result)


DRIVERS: list[TopologyTestDriver] = []


class RecordedDriver(TopologyTestDriver):
    def __init__(self, *given: Any, **named: Any) -> None:
        DRIVERS[:] = [self]
        super().__init__(*given, **named)


@pytest.fixture(autouse=True)
def _drivers_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "TopologyTestDriver", RecordedDriver)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_views_say_what_java_s_stores_say(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_commands, "Clerk", ReadsAreQueries)
    before = Mixed.reads
    assert case.expected == harness.run(case).lines
    assert Mixed.reads > before


@pytest.mark.parametrize("case", QUERY_CASES, ids=lambda case: case.name)
def test_queries_say_what_java_s_queries_say(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_commands, "Clerk", Inquirer)
    assert case.expected == harness.run(case).lines


@pytest.mark.slow
def test_recorded_queries_are_what_java_says_today(tmp_path: Path) -> None:
    try:
        code = java.record([], output=tmp_path, cases=java.QUERY_CASES)
    except (java.OracleError, JarsError) as error:
        pytest.skip(str(error))
    assert code == 0
    for case in QUERY_CASES:
        (found,) = tmp_path.rglob(f"{case.name}/expected.jsonl")
        assert found.read_text("utf-8") == (case.folder / "expected.jsonl").read_text("utf-8")


def test_all_kinds_of_stores_are_asked() -> None:
    assert {case.folder.parent.name for case in CASES} >= {
        "key_value_store",
        "window_store",
        "session_store",
        "versioned_store",
    }
