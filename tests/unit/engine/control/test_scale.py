"""200 workers and 2,000 tasks on the real control server."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from penstock._engine.control import members as members_module
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.standby_assignment import assign_standbys
from penstock._engine.queries.questions import Question, QuestionPoll, Read
from penstock.application_states import State
from tests.unit.engine.control.crowd import Driver, crowd, query_without_spark

WORKERS, TASKS, REPORTS = 200, 2_000, 6

pytestmark = pytest.mark.slow


def test_every_worker_is_answered_and_standbys_are_not_chosen_at_each_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = 0

    def counted(*arguments: object) -> object:
        nonlocal chosen
        chosen += 1
        return assign_standbys(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(members_module, "assign_standbys", counted)
    driver = Driver(WORKERS, TASKS, replicas=1)
    with crowd(driver, WORKERS, REPORTS) as answers:
        assert driver.states.state is State.RUNNING
        assert len(answers) == WORKERS
        assert not any(answer.stop for answer in answers.values())
        # At most once for each worker that came, not for each report.
        assert 1 <= chosen <= WORKERS
        copies = Counter(task for answer in answers.values() for task in answer.standbys)
        final = driver.query.membership_version
        assert final == WORKERS
        assert copies.keys() <= set(driver.task_ids)
        metrics = driver.query.metrics({})
        assert sum(name.name == "dropped-records-total" for name in metrics) == TASKS
        by_name = {
            name.name: value for name, value in metrics.items() if name.group == "stream-metrics"
        }
        assert (by_name["running-tasks"], by_name["missing-tasks"]) == (TASKS, 0)
        assert by_name["records-in-total"] == WORKERS * REPORTS * 100
        assert by_name["alive-stream-threads"] == WORKERS


def test_another_process_with_the_same_ids_is_heard() -> None:
    """In a container the replacement of a killed process may have its id, and its member id."""
    query = query_without_spark(("0_0",), 0, 1, lambda report: None)
    old = Report("a", "running", {"0_0": "running"}, number=4000, records_in=50, pid=7, process=1)
    query._report(old)
    query._hung_up(old)
    new = replace(old, number=1, records_in=3, process=2)
    query._report(new)
    assert query.members()["a"] == new
    assert query._records.totals()["records-in-total"] == 53
    # The old connection's end is noticed late.
    query._hung_up(old)
    assert query.members()["a"].state == "running"


@pytest.mark.parametrize("state", ["closed", "failed"])
def test_questions_to_a_worker_that_ends_are_not_waited_for(state: str) -> None:
    query = query_without_spark(("0_0",), 0, 1, lambda report: None)
    query._report(Report("a", "running", {"0_0": "running"}, number=1, pid=7))
    ended: list[object] = []
    question = Question(0, "counts", Read("range"), (0,))
    assert query._questions.begin(("a", 7), question, ended.append)
    assert query._questions.poll(QuestionPoll("a", 7, ()))
    query._report(Report("a", state, number=2, pid=7))
    assert ended == [None]


def test_a_report_that_comes_again_or_too_late_is_not_counted_again() -> None:
    heard: list[Report] = []
    query = query_without_spark(("0_0",), 0, 1, heard.append)
    first = Report("a", "running", {"0_0": "running"}, number=1, records_in=50)
    repeated = replace(first, repeated=True)
    last = Report("a", "failed", number=2, records_in=60)
    for report in (first, first, repeated, last, repeated, first):
        query._report(report)
    assert heard == [first, repeated, last]
    assert query._records.totals()["records-in-total"] == 60
