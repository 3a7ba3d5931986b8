"""The recorded commands for stores, with their reads asked as queries: what Java's stores say.

Puts go to the store as in the case itself; every read goes through the view of
`KafkaStreams.store(..., uncommitted=True)`, in pages of three rows.
"""

from __future__ import annotations

from typing import Any

import pytest

from conformance import harness, store_commands
from conformance.harness import Case
from penstock import Record
from penstock._engine.queries.asking import Asker, Wishes, Worker
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.desk import Desk
from penstock._engine.queries.questions import Answer, Position, Question
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.runtime.task import Task
from penstock.queries import view_of
from penstock.testing import TopologyTestDriver

WITHOUT_READS = {
    "session_store_in_memory_finds_what_ended_between_two_times",
    "versioned_store_gives_until_when_a_version_is_valid",
}
"""Cases whose commands are for processors only, in Java as well."""
CASES = [
    case
    for case in harness.all_cases(harness.CASES).values()
    if "store_commands" in (case.folder / "program.py").read_text("utf-8")
    and case.name not in WITHOUT_READS
]
PAGE_ROWS = 3


class QueriedTask:
    """The task of a test driver, as a desk sees it."""

    partition = 0
    is_ready = True

    def __init__(self, task: Task) -> None:
        self._task = task

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


def queried(driver: TopologyTestDriver) -> Any:
    """Return the view of the driver's store."""
    task, desk = QueriedTask(driver._task), Desk()

    def ask(_worker: Worker, question: Question) -> Answer:
        return desk._answer(question, [task])

    store = task.store("store")
    assert store is not None
    entry = StoreEntry("store", store._plan, {0: "0_0"}, 1)
    asker = Asker(lambda: [(("member", 1), {"0_0": "running"})], ask)
    wishes = Wishes(uncommitted=True, rows_max=PAGE_ROWS)
    return view_of({"store": entry}, "store", (asker, driver._task._config, wishes))


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


@pytest.fixture
def _reads_are_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    drivers: list[TopologyTestDriver] = []

    class Recorded(TopologyTestDriver):
        def __init__(self, *given: Any, **named: Any) -> None:
            drivers.append(self)
            super().__init__(*given, **named)

    class AskingClerk(store_commands.Clerk):
        def process(self, record: Record[str, str]) -> None:
            store = Mixed(self.context.get_state_store("store"), queried(drivers[-1]))
            for command in record.value.split("; "):
                answer = self._answer(store, command.split(" "))
                if answer is not None:
                    self.context.forward(record.with_value(f"{command}: {answer}"))

    monkeypatch.setattr(harness, "TopologyTestDriver", Recorded)
    monkeypatch.setattr(store_commands, "Clerk", AskingClerk)


@pytest.mark.usefixtures("_reads_are_queries")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_queries_say_what_java_s_stores_say(case: Case) -> None:
    before = Mixed.reads
    assert case.expected == harness.run(case).lines
    assert Mixed.reads > before


def test_all_kinds_of_stores_are_asked() -> None:
    assert {case.folder.parent.name for case in CASES} >= {
        "key_value_store",
        "window_store",
        "session_store",
        "versioned_store",
    }
