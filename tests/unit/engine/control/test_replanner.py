"""Changes of topics are followed or told, and a query that Spark gave up is started again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock import StreamsBuilder, StreamsError
from penstock._engine.control import replanner as supervisor_module
from penstock._engine.control.replanner import Replanner
from penstock._engine.kafka.application.topic_watch import TopicChange
from penstock._engine.planner.blueprint import Blueprint
from penstock.settings import StreamsConfig

PLAN = Blueprint(StreamsConfig({"application.id": "app"}), (), {}, "tasks", frozenset())
NEW_PLAN = replace(PLAN, partition_counts={"in": 3})
GROWN = TopicChange(resized={"in": (2, 3)})


class FakeQuery:
    """Remembers what is done with it."""

    def __init__(self) -> None:
        self.failed: str | None = None
        self.done: list[Any] = []

    def failure(self) -> str | None:
        return self.failed

    def lost_its_workers(self, failure: str) -> bool:
        return "exited unexpectedly" in failure or self.never_began(failure)

    def never_began(self, failure: str) -> bool:
        return "connect back" in failure

    def suspend(self, timeout_seconds: float) -> bool:
        self.done.append("suspend")
        self.failed = None
        return True

    def resume(self, blueprint: Blueprint) -> None:
        self.done.append(blueprint)


@pytest.fixture
def query() -> FakeQuery:
    return FakeQuery()


def replanner(query: FakeQuery, plans: list[Blueprint], plan: Blueprint = PLAN) -> Replanner:
    made = Replanner(StreamsBuilder().build(), plan, query, plans.append)
    made.close()
    return made


def test_without_a_change_nothing_is_done(query: FakeQuery) -> None:
    assert replanner(query, []).check() is None
    assert query.done == []


def test_new_partitions_are_followed_when_all_workers_have_finished(
    query: FakeQuery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "prepare", lambda topology, config: NEW_PLAN)
    plans: list[Blueprint] = []
    looking = replanner(query, plans)
    looking._changes.append(GROWN)
    assert looking.check() is None
    assert query.done == ["suspend", NEW_PLAN]
    assert plans == [NEW_PLAN]


def test_partitions_that_do_not_fit_the_state_end_the_application(
    query: FakeQuery, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(topology: Any, config: Any) -> Blueprint:
        raise StreamsError("changelog 'c' has 2 partitions and must have 3")

    monkeypatch.setattr(supervisor_module, "prepare", refuse)
    looking = replanner(query, [])
    looking._changes.append(GROWN)
    assert looking.check() == (
        "topic 'in' has 3 partitions, it had 2; the application cannot follow: changelog 'c' has 2 "
        "partitions and must have 3"
    )


def test_a_deleted_topic_ends_the_application(query: FakeQuery) -> None:
    looking = replanner(query, [])
    looking._changes.append(TopicChange(missing=("in",)))
    told = looking.check()
    assert told is not None
    assert told.startswith("topic 'in' is gone; an application cannot go on without")
    assert query.done == []


def test_a_bounded_run_does_not_follow(query: FakeQuery) -> None:
    looking = replanner(query, [], replace(PLAN, ends={}))
    looking._changes.append(GROWN)
    assert looking.check() is None
    assert query.done == []


def test_a_query_given_up_for_dead_workers_is_started_again_but_not_for_ever(
    query: FakeQuery,
) -> None:
    looking = replanner(query, [])
    for _ in range(20):
        query.failed = "Python worker exited unexpectedly (crashed)"
        assert looking.check() is None
    assert query.done == ["suspend", PLAN] * 20
    query.failed = "Python worker exited unexpectedly (crashed)"
    assert looking.check() == query.failed


def test_a_query_whose_processes_do_not_start_is_given_up_soon(query: FakeQuery) -> None:
    looking = replanner(query, [])
    for _ in range(5):
        query.failed = "failed to connect back"
        assert looking.check() is None
    query.failed = "failed to connect back"
    assert looking.check() == "failed to connect back; it was started 6 times in vain"
    assert query.done == ["suspend", PLAN] * 5


def test_a_query_that_failed_otherwise_ends_the_application(query: FakeQuery) -> None:
    query.failed = "out of disk"
    assert replanner(query, []).check() == "out of disk"
    assert query.done == []
