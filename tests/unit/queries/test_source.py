"""Where views read: keys that are not where they belong, over real stores without Kafka."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from penstock._engine.queries.asking import Asker, ReadOptions
from penstock._engine.queries.questions import Answer, FailureKind, Part, Question
from penstock.errors import StoreNotReadyError
from penstock.queries import source, view_of
from tests.unit.engine.http.shop import KEYS, Misplaced, Shop
from tests.unit.queries.test_views import view


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


READS: dict[str, Callable[[Any], Any]] = {
    "counts": lambda counts: counts.get("key-03"),
    "windows": lambda windows: list(windows.fetch("a", 1000, 2000)),
    "sessions": lambda sessions: [value for _, value in sessions.backward_fetch("a")],
    "versions": lambda versions: [one.value for one in versions.history("a", 1000, 1020)],
}


def test_keys_that_are_not_where_they_belong_are_looked_for_elsewhere(shop: Shop) -> None:
    """Other clients than Java's place keys by CRC32, and processors keep any keys."""
    misplaced = Misplaced()
    for name, read in READS.items():
        found = read(view(misplaced, name))
        assert found == read(view(shop, name))
        assert found
    counts = view(misplaced, "counts")
    asked = [*KEYS, "none"]
    assert counts.get_all(asked) == view(shop, "counts").get_all(asked)
    assert len(counts.get_all(asked)) == len(KEYS)
    assert counts.get("none") is None
    assert view(misplaced, "windows").fetch("a", 1000) == 1
    assert list(view(misplaced, "windows").fetch("none", 0, 9000)) == []
    assert view(misplaced, "versions").get("a").value == "v4"


def test_keys_are_looked_for_in_no_partition_but_that_which_is_said() -> None:
    misplaced = Misplaced()
    asking = misplaced.asker, misplaced._config, ReadOptions()
    in_first = view_of(misplaced.stores(), "counts", asking, 0)
    by_partitioner = view_of(misplaced.stores(), "counts", asking, None, lambda *_: 0)
    for counts in (in_first, by_partitioner, view(Misplaced(is_placed_here=True), "counts")):
        assert counts.get("key-03") is None
        assert counts.get_all(KEYS) == {}
    assert view_of(misplaced.stores(), "counts", asking, 3).get("key-03").value == 3


class _Ask:
    """What the asker of a shop does, but for the tasks of some partitions."""

    def __init__(self, misplaced: Misplaced, failure: FailureKind, partitions: set[int]) -> None:
        self._real, self._failure, self._partitions = misplaced._ask, failure, partitions

    def __call__(self, worker: tuple[str, int], question: Question) -> Answer | None:
        answer = self._real(worker, question)
        assert answer is not None
        parts = [
            Part(one.partition, failure=self._failure) if one.partition in self._partitions else one
            for one in answer.parts
        ]
        return replace(answer, parts=tuple(parts))


def shop_with(failure: FailureKind, *partitions: int) -> Misplaced:
    misplaced = Misplaced()
    ask = _Ask(misplaced, failure, set(partitions))
    misplaced.asker = Asker(lambda: [(("w", 1), misplaced.reports()["w"].tasks)], ask)
    return misplaced


def test_what_is_found_elsewhere_waits_for_no_other_task() -> None:
    restoring = shop_with("not_ready", 1, 2)
    counts = view(restoring, "counts")
    assert counts.get("key-03").value == 3
    assert len(counts.get_all(KEYS)) == len(KEYS)
    assert len(list(view(restoring, "windows").fetch("a", 0, 9000))) == 5


def test_what_may_be_in_a_task_that_is_not_ready_is_waited_for() -> None:
    counts = view(shop_with("not_ready", 1, 2), "counts")
    with pytest.raises(StoreNotReadyError, match="task 0_1"):
        counts.get("none")
    with pytest.raises(StoreNotReadyError, match="task 0_1"):
        counts.get_all([*KEYS, "none"])


def test_what_nobody_can_be_asked_for_is_not_there() -> None:
    """The tasks of a driver without an HTTP server are as those of other instances in Java."""
    apart = shop_with("elsewhere", 1, 2)
    counts = view(apart, "counts")
    assert counts.get("none") is None
    assert len(counts.get_all([*KEYS, "none"])) == len(KEYS)
    assert list(view(apart, "windows").fetch("none", 0, 9000)) == []


def test_many_keys_that_are_elsewhere_are_asked_for_in_many_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(source, "_KEYS_AT_ONCE", 7)
    assert len(view(Misplaced(), "counts").get_all(KEYS)) == len(KEYS)
