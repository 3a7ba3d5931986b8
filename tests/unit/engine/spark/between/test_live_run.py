"""What the watch over a live run does when Spark refuses or surprises it: the run ends, with a
reason. Stand-ins say what a real session says rarely; tests/spark/test_between_failures.py and
tests/spark/test_lost_processes.py make real parts fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException

from penstock._engine.spark.between import live_run
from penstock._engine.spark.between.live_run import LiveRun
from penstock._engine.spark.lost_processes import NOT_STARTED
from penstock.errors import StreamsError
from tests.meanwhile import at_collections, at_instructions, names_of_many
from tests.unit.engine.spark.between.idle import Idle

WAIT_SECONDS = 20


class Query:
    """A query as Spark shows it."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name = self.runId = name
        self.error = error
        self.is_stopped = False
        self.lastProgress = None
        self.status = {"message": "Waiting for data to arrive"}
        plan = SimpleNamespace(toString=lambda: "reads our outputs")
        wrapped = SimpleNamespace(analyzedPlan=lambda: plan)
        self._jsq = SimpleNamespace(streamingQuery=lambda: wrapped)

    @property
    def isActive(self) -> bool:
        return self.error is None and not self.is_stopped

    def exception(self) -> Exception | None:
        return self.error

    def stop(self) -> None:
        self.is_stopped = True


class Streams:
    """The queries of a session."""

    def __init__(self) -> None:
        self.queries: list[Query] = []

    @property
    def active(self) -> list[Query]:
        return [query for query in self.queries if query.isActive]


@pytest.fixture
def streams() -> Streams:
    return Streams()


@pytest.fixture
def run(streams: Streams, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveRun]:
    monkeypatch.setattr(live_run, "_LOOK_SECONDS", 0.001)
    session: Any = SimpleNamespace(streams=streams)
    made = LiveRun(session, Idle(), ExitStack())
    made.follow("our outputs")
    yield made
    made.close()


def failure_of(run: LiveRun) -> StreamsError:
    """Wait until a run fails; return why."""
    with pytest.raises(StreamsError) as caught:
        assert run.wait(WAIT_SECONDS), "the run goes on, though a part of it has failed"
    return caught.value


@pytest.mark.parametrize("refusal", [AnalysisException("no such table"), StreamsError("too old")])
def test_an_input_that_cannot_be_started_again_ends_the_run(
    run: LiveRun, refusal: Exception
) -> None:
    starts: list[Any] = [Query("first", RuntimeError(NOT_STARTED))]

    def start() -> Any:
        if starts:
            return starts.pop()
        raise refusal

    run.start_input("orders", start)
    run.watch()
    failure = failure_of(run)
    assert str(failure).startswith("input 'orders' failed, so all parts of the run were ended: ")
    assert str(failure).endswith(f"it cannot be started again: {refusal}")
    assert failure.__cause__ is refusal


class Surprising(Query):
    """Raises what no part of Spark should."""

    def exception(self) -> Exception | None:
        raise LookupError("of another kind")


def test_what_the_watch_does_not_expect_ends_the_run(run: LiveRun) -> None:
    query: Any = Surprising("odd")
    run.start_output(lambda: query)
    run.watch()
    query.is_stopped = True
    said = "the watch over the parts failed, .*: LookupError: of another kind"
    assert re.fullmatch(said, str(failure_of(run)))


def looked_at(run: LiveRun, times: int = 3) -> None:
    """Look at the parts as the watch does, some times."""
    for _ in range(times):
        assert run._look() is None


def test_a_query_that_fails_while_another_one_is_started_ends_the_run(
    run: LiveRun, streams: Streams
) -> None:
    theirs, slow = Query("theirs"), Query("slow")

    def start() -> Any:
        streams.queries += [theirs, slow]
        looked_at(run)
        theirs.error = RuntimeError("out of disk")
        return slow

    run.start_output(start)
    run.watch()
    assert str(failure_of(run)).startswith("output query 'theirs' failed")
    assert slow.is_stopped


def test_a_query_whose_process_is_waited_for_hides_no_other(run: LiveRun, streams: Streams) -> None:
    theirs = Query("theirs")

    class Waiting(Query):
        @property
        def isActive(self) -> bool:
            streams.queries = [theirs]
            if theirs.error is None:
                looked_at(run)
            theirs.error = RuntimeError("out of disk")
            return True

    query: Any = Waiting("slow")
    run.start_output(lambda: query)
    run.watch()
    assert str(failure_of(run)).startswith("output query 'theirs' failed")


def test_a_query_that_is_started_again_is_no_failure(run: LiveRun, streams: Streams) -> None:
    first, second = Query("first"), Query("second")
    starts = [first, second]

    def start() -> Any:
        query = starts.pop(0)
        streams.queries.append(query)
        looked_at(run)
        if query is first:
            query.error = RuntimeError(NOT_STARTED)
        return query

    started: Any = run.start_output(start)
    looked_at(run)
    assert started is second
    assert not run._unclear


def test_a_query_that_says_it_has_ended_is_not_taken_for_started(run: LiveRun) -> None:
    """Spark says so for a moment before the query is no longer active."""

    class Ending(Query):
        looks = 0

        @property
        def isActive(self) -> bool:
            self.looks += 1
            if self.looks > 1:
                self.error = RuntimeError(NOT_STARTED)
            return self.error is None

    ending, second = Ending("first"), Query("second")
    ending.status = {"message": f"Terminated with exception: {NOT_STARTED}"}
    starts: list[Any] = [ending, second]
    started: Any = run.start_output(lambda: starts.pop(0))
    assert started is second


def test_queries_found_during_a_start_are_stopped_with_the_run(
    run: LiveRun, streams: Streams
) -> None:
    theirs, ours = Query("theirs"), Query("ours")

    def start() -> Any:
        streams.queries += [theirs, ours]
        looked_at(run)
        run.close()
        return ours

    run.start_output(start)
    assert theirs.is_stopped
    assert ours.is_stopped


def test_a_start_that_is_refused_hides_nothing_for_long(run: LiveRun, streams: Streams) -> None:
    theirs = Query("theirs")

    def start() -> Any:
        streams.queries.append(theirs)
        looked_at(run)
        raise AnalysisException("no such table")

    with pytest.raises(AnalysisException):
        run.start_output(start)
    theirs.error = RuntimeError("out of disk")
    run.watch()
    assert str(failure_of(run)).startswith("output query 'theirs' failed")


@pytest.mark.parametrize(("has_ended", "told"), [(True, 1), (False, 0)])
def test_the_end_is_told_once_if_all_workers_have_ended(has_ended: bool, told: int) -> None:
    ends: list[str] = []

    def when_ended() -> None:
        ends.append("ended")
        raise StreamsError("the cluster does not answer")

    class Closing(Idle):
        def close(self) -> bool:
            return has_ended

    session: Any = SimpleNamespace(streams=Streams())
    run = LiveRun(session, Closing(), ExitStack(), when_ended)
    run.watch()
    run.close()
    run.close()
    assert len(ends) == told


class Interrupting(Idle):
    """Is interrupted while it closes."""

    def close(self) -> bool:
        raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["the application", "the note"])
def test_outputs_are_stopped_though_the_user_does_not_wait_for_the_rest(
    where: str, streams: Streams
) -> None:
    query: Any = Query("ours")
    released: list[str] = []

    def when_ended() -> None:
        assert query.is_stopped
        raise KeyboardInterrupt

    session: Any = SimpleNamespace(streams=streams)
    engine = Interrupting() if where == "the application" else Idle()
    resources = ExitStack()
    resources.callback(released.append, "the broker")
    run = LiveRun(session, engine, resources, when_ended)
    run.start_output(lambda: query)
    with pytest.raises(KeyboardInterrupt):
        run.close()
    assert query.is_stopped
    assert released == ["the broker"]
    assert run.wait(0)


def test_an_end_that_cannot_be_noted_for_whatever_reason_is_an_end(streams: Streams) -> None:
    class ClientError(Exception):
        """As the Kafka client raises."""

    def when_ended() -> None:
        raise ClientError

    released: list[str] = []
    resources = ExitStack()
    resources.callback(released.append, "the broker")
    run = LiveRun(SimpleNamespace(streams=streams), Idle(), resources, when_ended)  # type: ignore[arg-type]
    run.close()
    assert released == ["the broker"]


def test_outputs_may_be_started_while_the_parts_are_looked_at(run: LiveRun) -> None:
    query: Any = Query("an output")
    run._outputs.update(dict.fromkeys(names_of_many(), query))

    def change() -> None:
        if run._outputs.pop("new", None) is None:
            run._outputs["new"] = query

    with at_collections(change):
        assert run._look() is None


def test_outputs_may_be_followed_while_the_queries_are_looked_at(
    run: LiveRun, streams: Streams
) -> None:
    streams.queries.append(Query("of others"))
    run._marks.clear()
    run.follow("not ours")
    numbers = count()
    with at_instructions(lambda: run.follow(f"new {next(numbers)}")):
        run._find_outputs()
    assert run._outputs == {}
