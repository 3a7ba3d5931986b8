"""KafkaStreams without Spark and Kafka: its states, and what it makes of the workers' reports."""

from __future__ import annotations

import threading
from collections.abc import Callable
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
from penstock._engine.kafka import preparation
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.spark import query
from penstock._engine.spark.control import Report, WorkerFailure

CONFIG = {"application.id": "fraud", "bootstrap.servers": "nowhere:9092"}
PATIENCE_MS = 10_000


class FakeQuery:
    """Stands for the query on Spark; `hear` brings a worker's report."""

    made: ClassVar[list[FakeQuery]]
    trouble: ClassVar[str | None]

    def __init__(self, blueprint: Any, spark: Any, on_report: Callable[[Report], None]) -> None:
        self._on_report = on_report
        self._members: dict[str, Report] = {}
        self.closed = 0
        self.posted: list[str] = []
        self.notice: str | None = None
        self.slots = 2
        self.made.append(self)

    def hear(self, report: Report) -> None:
        self._members[report.member_id] = report
        self._on_report(report)

    def members(self) -> dict[str, Report]:
        return self._members

    def failure(self) -> str | None:
        return self.trouble

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


class Task:
    """Stands for a planned task."""

    def __init__(self, id: str) -> None:
        self.id = id


class FakeBlueprint:
    """An application of two tasks."""

    tasks = (Task("0_0"), Task("0_1"))


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[FakeQuery]:
    class Fresh(FakeQuery):
        made: ClassVar[list[FakeQuery]] = []
        trouble: ClassVar[str | None] = None

    monkeypatch.setattr(query, "ApplicationQuery", Fresh)
    monkeypatch.setattr(preparation, "prepare", lambda topology, config: FakeBlueprint())
    monkeypatch.setattr(preparation, "bounded", lambda blueprint: blueprint)
    return Fresh.made


def application(**settings: Any) -> KafkaStreams:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return KafkaStreams(builder.build(), {**CONFIG, **settings})


def running(member: str, *tasks: str, caught_up: bool = False) -> Report:
    return Report(member, "running", tasks=dict.fromkeys(tasks, "running"), caught_up=caught_up)


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

    def prepare(topology: Any, config: Any) -> FakeBlueprint:
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


def test_shutdown_client_asks_nobody(queries: list[FakeQuery]) -> None:
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
