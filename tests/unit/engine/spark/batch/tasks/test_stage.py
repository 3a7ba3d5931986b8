"""The work of one Spark partition: rows of all kinds of stores, and nothing left behind."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conformance.dataframes.comparison import planned
from conformance.dataframes.feeding import Fed
from conformance.dataframes.without_spark import LocalJob
from penstock import (
    Consumed,
    FixedKeyProcessor,
    FixedKeyRecord,
    Grouped,
    Materialized,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock._engine.spark.batch.start import settings_of
from penstock._engine.spark.batch.tasks.bounded_task import BackfillTask
from penstock._engine.spark.batch.tasks.local_state import LocalState
from penstock.errors import StreamsError
from penstock.handlers import LogAndContinueExceptionHandler

TEXT = serdes.string()
NOW_MS = 1_700_000_000_000
CONFIG = settings_of({"application.id": "app"})


def stores_of_all_kinds() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    grouped = stream.group_by_key(Grouped(None, TEXT, TEXT))
    grouped.reduce(lambda one, other: one + other, Materialized("sums", TEXT, TEXT))
    windows = TimeWindows.of_size(timedelta(milliseconds=10), grace=timedelta(milliseconds=0))
    grouped.windowed_by(windows).count(Materialized("windows", TEXT, retention=timedelta(hours=1)))
    sessions = SessionWindows.of_inactivity_gap(timedelta(milliseconds=3), grace=0)
    grouped.windowed_by(sessions).count(
        Materialized("sessions", TEXT, retention=timedelta(hours=1))
    )
    versions = Materialized("versions", TEXT, TEXT, history_retention=timedelta(seconds=1))
    builder.table("table", Consumed(TEXT, TEXT), versions)
    return builder.build()


def records(*times: int, key: bytes = b"k") -> list[Fed]:
    return [Fed(0, offset, time, key, b"%d" % time, ()) for offset, time in enumerate(times)]


def test_the_rows_of_all_kinds_of_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    inputs = {"in": records(1, 2, 12), "table": records(5, 7)}
    _, stores = LocalJob(planned(stores_of_all_kinds(), CONFIG, inputs, 1), inputs).outcome()
    one, two = (1).to_bytes(8, "big"), (2).to_bytes(8, "big")
    assert stores == {
        "sums": [(0, b"k", b"1212", 12, None, None)],
        "windows": [(0, b"k", two, 2, 0, 10), (0, b"k", one, 12, 10, 20)],
        "sessions": [(0, b"k", two, None, 1, 2), (0, b"k", one, None, 12, 12)],
        "versions": [(0, b"k", b"7", 7, 7, None), (0, b"k", b"5", 5, 5, 7)],
    }
    assert list(tmp_path.iterdir()) == []


def test_a_task_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).filter(lambda key, value: 1 // 0)
    inputs = {"in": records(1)}
    with pytest.raises(Exception, match="ZeroDivisionError"):
        LocalJob(planned(builder.build(), CONFIG, inputs, 1), inputs)
    assert list(tmp_path.iterdir()) == []


def test_how_many_records_come_between_two_commits_does_not_show() -> None:
    inputs = {"in": records(*range(30)), "table": []}
    plan = planned(stores_of_all_kinds(), CONFIG, inputs, 1)
    outcomes = [LocalJob(plan, inputs, records_per_commit=count).outcome() for count in (1, 7, 99)]
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("has_user_code", [False, True])
def test_where_spark_cuts_the_input_does_not_show_among_unreadable_records(
    has_user_code: bool,
) -> None:
    """A bad record at the end of a block counted for a commit, with which the cache is flushed."""
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(TEXT, serdes.long()))
    stream = stream.process_values(Forwarding) if has_user_code else stream
    counts = stream.group_by_key(Grouped("g", TEXT, serdes.long())).count(Materialized("n", TEXT))
    counts.to_stream().to("out")
    config = settings_of(
        {
            "application.id": "app",
            "statestore.cache.max.bytes": 100_000,
            "deserialization.exception.handler": LogAndContinueExceptionHandler(),
        }
    )
    fed = [
        Fed(0, at, at, b"k", b"bad" if at % 7 == 6 else at.to_bytes(8, "big"), ())
        for at in range(40)
    ]
    plan = planned(builder.build(), config, {"in": fed}, 1)
    outcomes = [
        LocalJob(plan, {"in": fed}, records_per_commit=6, batch_rows=rows).outcome()
        for rows in (1, 2, 3, 5, 7, 11, 40)
    ]
    assert len(outcomes[0][0]["out", 0]) == 6
    assert all(outcome == outcomes[0] for outcome in outcomes)


class Forwarding(FixedKeyProcessor[Any, Any, Any]):
    """Forwards records; as code of the user it is given one at a time."""

    def process(self, record: FixedKeyRecord[Any, Any]) -> None:
        self.context.forward(record)


class Ticking(Processor[Any, Any, Any, Any]):
    """Forwards records, and has timers of the wall clock that must not fire."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        for start in (None, 0, NOW_MS):
            context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self._fire, start_time=start)

    def _fire(self, now_ms: int) -> None:
        msg = f"fired at {now_ms}"
        raise AssertionError(msg)

    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)


def test_timers_of_the_wall_clock_do_not_fire_in_a_backfill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).process(Ticking).to("out", Produced(TEXT, TEXT))
    plan = planned(builder.build(), CONFIG, {"in": records(1)}, 1)
    (task_plan,) = plan.stages[0].tasks
    with LocalState(CONFIG, BackfillTask) as state:
        task = state.open_task(task_plan, plan, {})
        task.start(NOW_MS)
        task.add_records("in", 0, [(0, 1, b"k", b"v", ())])
        assert task.process(NOW_MS, 1) == 1
        task.punctuate_wall_clock(NOW_MS + 1000)
        assert [output[:4] for output in task.drain()] == [("out", None, b"k", b"v")]
    with LocalState(CONFIG) as state:
        bounded = state.open_task(task_plan, plan, {})
        with pytest.raises(StreamsError, match="stands still in a bounded run"):
            bounded.start(NOW_MS)
