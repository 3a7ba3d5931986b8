"""KafkaStreams without Spark and Kafka: its states, and what it makes of the workers' reports."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from penstock import (
    KafkaStreams,
    ProcessingError,
    State,
    StateRestoreListener,
    StreamsBuilder,
    StreamsError,
    TopicPartition,
    TopologyError,
    UncaughtResponse,
)
from penstock._engine.control import replanner
from penstock._engine.control.application_host import Surroundings
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.kafka.application import preparation
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.spark import session
from penstock._engine.spark.streaming import query

CONFIG = {"application.id": "fraud", "bootstrap.servers": "nowhere:9092"}
PATIENCE_MS = 10_000


class FakeQuery:
    """Stands for the query on Spark; `hear` brings a worker's report."""

    made: ClassVar[list[FakeQuery]]
    trouble: ClassVar[str | None]

    def __init__(self, blueprint: Any, early: Any, surroundings: Surroundings) -> None:
        self._on_report = surroundings.on_report
        self._members: dict[str, Report] = {}
        self.closed = 0
        self.posted: list[str] = []
        self.notice: str | None = None
        self.slots = 2
        self.group = FakeGroup()
        self.made.append(self)

    def hear(self, report: Report) -> None:
        self._members[report.member_id] = report
        self._on_report(report)

    def members(self) -> dict[str, Report]:
        return self._members

    @property
    def membership_version(self) -> int:
        return hash(str(self._members))

    def lag(self) -> int | None:
        return None

    def look_at_lag(self) -> None: ...
    def look_for_orphans(self) -> None: ...
    def follow_reports(self) -> None: ...
    def look_at_session(self) -> None: ...
    def announce(self) -> None: ...

    def failure(self) -> str | None:
        return self.trouble

    def lost_its_workers(self, failure: str) -> bool:
        return False

    def runs_this_thread(self) -> bool:
        return False

    def post_shutdown(self, reason: str) -> None:
        self.posted.append(reason)

    def shutdown_reason(self) -> str | None:
        return self.notice

    def add_slot(self) -> int | None:
        self.slots += 1
        return self.slots

    def remove_slot(self) -> int | None:
        self.slots -= 1
        return self.slots

    def close(self, timeout_seconds: float) -> bool:
        self.closed += 1
        return True


class FakeGroup:
    """Stands for what the broker knows of all instances."""

    in_hands = over = False

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        return {"0_0", "0_1"} if self.in_hands else set()

    def bounded_run_is_over(self) -> bool:
        return self.over


class Task:
    """Stands for a planned task."""

    def __init__(self, id: str) -> None:
        self.id = id


class FakeBlueprint:
    """An application of two tasks."""

    tasks = (Task("0_0"), Task("0_1"))
    ends: dict[Any, int] | None = None


def bounded(blueprint: FakeBlueprint) -> FakeBlueprint:
    blueprint.ends = {}
    return blueprint


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[FakeQuery]:
    class Fresh(FakeQuery):
        made: ClassVar[list[FakeQuery]] = []
        trouble: ClassVar[str | None] = None

    monkeypatch.setattr(query, "ApplicationQuery", Fresh)
    monkeypatch.setattr(session, "launch_early", lambda config, spark: None)
    monkeypatch.setattr(preparation, "prepare", lambda *_: FakeBlueprint())
    monkeypatch.setattr(preparation, "bounded", bounded)
    monkeypatch.setattr(replanner, "LOOK_SECONDS", PATIENCE_MS)
    return Fresh.made


def application(**settings: Any) -> KafkaStreams:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return KafkaStreams(builder.build(), {**CONFIG, **settings})


def running(member: str, *tasks: str, caught_up: bool = False) -> Report:
    return Report(member, "running", tasks=dict.fromkeys(tasks, "running"), caught_up=caught_up)


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_MS / 1000
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def failed(error: Exception) -> Report:
    try:
        raise error
    except Exception as raised:
        return Report("a", "failed", failure=WorkerFailure.of(raised))


def test_states_follow_the_workers(queries: list[FakeQuery]) -> None:
    streams, moves = application(), list[tuple[State, State]]()
    streams.set_state_listener(lambda new, old: moves.append((old, new)))
    assert streams.state is State.CREATED
    streams.start()
    (fake,) = queries
    fake.hear(running("a", "0_0"))
    fake.hear(running("b", "0_1"))
    fake.hear(Report("b", "restoring", tasks={"0_1": "restoring"}))
    fake.hear(running("b", "0_1"))
    assert streams.close()
    assert moves == [
        (State.CREATED, State.REBALANCING),
        (State.REBALANCING, State.RUNNING),
        (State.RUNNING, State.REBALANCING),
        (State.REBALANCING, State.RUNNING),
        (State.RUNNING, State.PENDING_SHUTDOWN),
        (State.PENDING_SHUTDOWN, State.NOT_RUNNING),
    ]
    assert fake.closed == 1


def test_application_starts_once(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    with pytest.raises(StreamsError, match="can be started once; this is REBALANCING"):
        streams.start()
    with pytest.raises(StreamsError, match="must be set before start"):
        streams.set_state_listener(lambda new, old: None)
    streams.close()


def test_application_that_is_closed_while_it_starts_does_not_start(
    queries: list[FakeQuery], monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = application()

    def prepare(*_: Any) -> FakeBlueprint:
        streams.close()
        return FakeBlueprint()

    monkeypatch.setattr(preparation, "prepare", prepare)
    streams.start()
    assert streams.state is State.NOT_RUNNING
    assert queries == []


def test_failure_of_a_worker_ends_the_application(
    queries: list[FakeQuery], caplog: pytest.LogCaptureFixture
) -> None:
    streams = application()
    streams.start()
    queries[0].hear(failed(StreamsError("no way")))
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    assert streams.failure is not None
    assert streams.failure.message == "no way"
    assert caplog.messages == ["worker=a failed, shutdown_client: no way"]


def test_who_asks_an_application_that_fails_is_told_why(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    queries[0].hear(failed(StreamsError(f"no way\nat {'x' * 99}")))
    with pytest.raises(StreamsError, match=r"the application is (PENDING_)?ERROR: no way$"):
        streams.store("counts")
    assert streams.wait_until(State.ERROR, PATIENCE_MS)


def test_worker_that_failed_may_be_replaced(
    queries: list[FakeQuery], caplog: pytest.LogCaptureFixture
) -> None:
    streams = application()
    streams.set_uncaught_exception_handler(lambda failure: UncaughtResponse.REPLACE_THREAD)
    streams.start()
    queries[0].hear(failed(StreamsError("no way")))
    assert streams.state is State.REBALANCING
    assert caplog.messages == ["worker=a failed, replace_thread: no way"]
    streams.close()


def test_query_that_ends_by_itself_is_a_failure(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    type(queries[0]).trouble = "the query was stopped"
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    assert streams.failure is not None
    assert streams.failure.message == "the query was stopped"


def test_run_raises_what_the_worker_raised_with_the_user_s_own_traceback(
    queries: list[FakeQuery], caplog: pytest.LogCaptureFixture
) -> None:
    def break_down() -> Exception:
        try:
            return ValueError(int("x"))
        except ValueError as error:
            whole = ProcessingError("node 'a' failed", task_id="0_0", node="a", topic="in")
            whole.__cause__ = error
            return whole

    streams = application()
    starting = threading.Timer(0.1, lambda: queries[0].hear(failed(break_down())))
    starting.start()
    with pytest.raises(ProcessingError, match="node 'a' failed") as caught:
        streams.run(quiet=True)
    assert (caught.value.node, caught.value.topic, caught.value.offset) == ("a", "in", -1)
    (note,) = caught.value.__notes__
    assert note.endswith("ValueError: invalid literal for int() with base 10: 'x'")
    assert "test_application.py" in note
    assert caplog.messages == []


def test_bounded_run_ends_by_itself(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start(available_now=True)
    for _ in range(2):
        assert streams.state is not State.NOT_RUNNING
        queries[0].hear(running("a", "0_0", "0_1", caught_up=True))
    assert streams.wait_until(State.NOT_RUNNING, PATIENCE_MS)
    assert queries[0].closed == 1


def test_each_of_two_instances_is_running_with_its_own_tasks(queries: list[FakeQuery]) -> None:
    for tasks in (["0_0"], ["0_1"], []):
        streams = application()
        streams.start()
        queries[-1].hear(running("a", *tasks))
        assert streams.state is State.REBALANCING  # the other task may have no owner
        queries[-1].group.in_hands = True

        def is_running(streams: KafkaStreams = streams, tasks: list[str] = tasks) -> bool:
            queries[-1].hear(running("a", *tasks))
            return streams.state is State.RUNNING

        wait_for(is_running)
        queries[-1].hear(Report("a", "restoring", tasks={"0_0": "restoring"}))
        assert streams.state is State.REBALANCING
        streams.close()


def test_two_bounded_runs_end_when_the_group_is_through(queries: list[FakeQuery]) -> None:
    first, second = application(), application()
    for streams in (first, second):
        streams.start(available_now=True)
    for query_, task in zip(queries, ("0_0", "0_1"), strict=True):
        for _ in range(5):
            query_.hear(running("a", task, caught_up=True))
    assert not first.wait_until(State.NOT_RUNNING, 1500)
    for query_ in queries:
        query_.group.over = True
    assert first.wait_until(State.NOT_RUNNING, PATIENCE_MS)
    assert second.wait_until(State.NOT_RUNNING, PATIENCE_MS)


def test_a_report_that_is_told_again_is_no_second_look(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start(available_now=True)
    report = running("a", "0_0", "0_1", caught_up=True)
    for _ in range(5):
        queries[0].hear(replace(report, repeated=True))
    queries[0].hear(report)
    assert streams.state is State.RUNNING
    queries[0].hear(report)
    assert streams.wait_until(State.NOT_RUNNING, PATIENCE_MS)


def test_a_broker_that_is_away_shows_while_the_state_stays(queries: list[FakeQuery]) -> None:
    streams = application()
    assert streams.trouble is None
    streams.start()
    queries[0].hear(running("a", "0_0", "0_1"))
    assert streams.trouble is None
    queries[0].hear(replace(running("a", "0_0", "0_1"), broker_away_seconds=12.3))
    assert streams.trouble == "the broker has not answered for 12 s"
    assert streams.state is State.RUNNING
    queries[0].hear(running("a", "0_0", "0_1"))
    assert streams.trouble is None
    streams.close()


def test_what_workers_print_is_printed_here(
    queries: list[FakeQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    streams = application()
    streams.start()
    queries[0].hear(Report("a", "running", printed=(("stdout", "out"), ("stderr", "err"))))
    assert capsys.readouterr() == ("out\n", "err\n")
    streams.close()


def test_clean_up_deletes_local_state_but_not_while_it_runs(
    queries: list[FakeQuery], tmp_path: Path
) -> None:
    streams = application(**{"state.dir": str(tmp_path)})
    state = tmp_path / "fraud" / "0_0" / "rocksdb"
    state.mkdir(parents=True)
    streams.clean_up()
    assert not state.exists()
    streams.start()
    with pytest.raises(StreamsError, match="before start or after close"):
        streams.clean_up()
    streams.close()
    streams.clean_up()


def test_topology_must_be_built() -> None:
    with pytest.raises(TopologyError, match=r"did you forget builder\.build\(\)\?"):
        KafkaStreams(StreamsBuilder(), CONFIG)  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", ["pause", "resume", "reports", "progress"])
def test_nothing_can_be_asked_before_the_start(verb: str) -> None:
    with pytest.raises(StreamsError, match="has not been started"):
        getattr(application(), verb)()


def test_shutdown_application_asks_the_other_instances_to_end_too(
    queries: list[FakeQuery],
) -> None:
    streams = application()
    streams.set_uncaught_exception_handler(lambda failure: UncaughtResponse.SHUTDOWN_APPLICATION)
    streams.start()
    queries[0].hear(failed(StreamsError("bad")))
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    assert queries[0].posted == ["bad"]


def test_shutdown_client_asks_no_others(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    queries[0].hear(failed(StreamsError("bad")))
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    assert queries[0].posted == []


def test_an_instance_ends_when_another_one_asks_all_to(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    queries[0].notice = "bad"
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    assert streams.failure is not None
    assert streams.failure.message == "another instance asked all to end: bad"
    assert queries[0].posted == []


class Heard(StateRestoreListener):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def on_restore_start(
        self, topic_partition: TopicPartition, store_name: str, starting_offset: int, *more: int
    ) -> None:
        self.calls.append(("start", topic_partition, store_name, starting_offset, *more))

    def on_restore_end(
        self, topic_partition: TopicPartition, store_name: str, total_restored: int
    ) -> None:
        self.calls.append(("end", topic_partition, store_name, total_restored))


EVENTS = (
    RestoreEvent("start", "counts", "log", 1, offset=3, end=9),
    RestoreEvent("batch", "counts", "log", 1, offset=9, count=6),
    RestoreEvent("end", "counts", "log", 1, count=6),
)


def test_the_restore_listener_hears_of_the_workers_stores(queries: list[FakeQuery]) -> None:
    streams, heard = application(), Heard()
    streams.set_global_state_restore_listener(heard)
    streams.start()
    queries[0].hear(Report("a", "restoring", restore_events=EVENTS))
    assert heard.calls == [("start", ("log", 1), "counts", 3, 9), ("end", ("log", 1), "counts", 6)]
    with pytest.raises(StreamsError, match="restore listener must be set before start"):
        streams.set_global_state_restore_listener(heard)
    streams.close()


def test_a_restore_listener_that_fails_ends_the_application(queries: list[FakeQuery]) -> None:
    class Failing(StateRestoreListener):
        def on_restore_end(self, *told: Any) -> None:
            raise ValueError("no")

    streams = application()
    streams.set_global_state_restore_listener(Failing())
    streams.start()
    queries[0].hear(Report("a", "restoring", restore_events=EVENTS))
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    assert streams.failure is not None
    assert streams.failure.message == "the state restore listener failed: ValueError: no"


def test_slots_are_added_and_removed_while_it_runs(queries: list[FakeQuery]) -> None:
    streams = application()
    with pytest.raises(StreamsError, match="while it runs; the application is CREATED"):
        streams.add_stream_thread()
    streams.start()
    assert streams.add_stream_thread() == 3
    assert streams.remove_stream_thread() == 2
    streams.close()


def test_the_console_is_served_and_its_address_printed(
    queries: list[FakeQuery], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    streams = application(**{"state.dir": str(tmp_path)})
    with pytest.raises(StreamsError, match="serves no console now"):
        streams.console_link()
    streams.start(console=True)
    # This is no terminal: what lets a browser in stays out of logs.
    line = r"^console: http://127\.0\.0\.1:\d+/ \(token in \S+/http/\d+\.json\)$"
    assert re.search(line, capsys.readouterr().err, re.M)
    assert streams.console_link() != streams.console_link()
    streams.close()


def test_a_terminal_that_is_gone_does_not_stop_the_application(
    queries: list[FakeQuery], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone:
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    streams = application()
    streams.start()
    monkeypatch.setattr("sys.stdout", Gone())
    queries[0].hear(Report("a", "running", printed=(("stdout", "hello"),)))
    assert streams.close()
