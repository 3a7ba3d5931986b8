"""What a worker does about what users' processors do in `init` and `close`, or when it is idle."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, ClassVar

import pytest

from penstock import Processor, ProcessorContext, PunctuationType, Record
from penstock._clock import monotonic
from penstock._engine.kafka.worker import silence
from penstock._engine.runtime.commit import encode_partition_time
from penstock.errors import StreamsError
from tests.unit.engine.kafka.worker.stage import Stage

PATIENCE_SECONDS = 60.0


class CannotClose(Processor[str, str, None, None]):
    """A processor of the user's that fails in the end."""

    closed: ClassVar[list[object]] = []

    def process(self, record: Record[str, str]) -> None: ...

    def close(self) -> None:
        self.closed.append(self)
        msg = "socket already closed"
        raise ValueError(msg)


def test_a_users_close_that_fails_keeps_nothing_else_from_closing(tmp_path: Path) -> None:
    CannotClose.closed.clear()
    stage = Stage(tmp_path, processor=CannotClose)
    stage.run(0, 1)
    stage.kafka.take_events()
    with pytest.raises(StreamsError, match="socket already closed"):
        stage.close()
    assert len(CannotClose.closed) == 2
    assert stage.kafka.take_events()[-1] == "leave"
    stage.host.close()


class CommitsAtFirst(Processor[str, str, None, None]):
    """Asks for a commit before its first record."""

    def init(self, context: ProcessorContext[None, None]) -> None:
        context.commit()

    def process(self, record: Record[str, str]) -> None: ...


def test_a_commit_that_an_idle_task_asked_for_is_not_made_at_every_step(tmp_path: Path) -> None:
    stage = Stage(tmp_path, processor=CommitsAtFirst, **{"commit.interval.ms": 10_000})
    worker = stage.open(0, 1)
    stage.kafka.take_events()
    for _ in range(20):
        stage.kafka.write("in", 0, ("a", "x"))
        worker.step()
    commits = [event for event in stage.kafka.take_events() if event.startswith("commit ")]
    assert len(commits) == 1
    worker.abandon()
    stage.host.close()


class Ticks(Processor[str, str, None, None]):
    """Notes the stream time at which its timer fires."""

    fired: ClassVar[list[int]] = []

    def init(self, context: ProcessorContext[None, None]) -> None:
        context.schedule(1000, PunctuationType.STREAM_TIME, self.fired.append)

    def process(self, record: Record[str, str]) -> None: ...


def test_a_timer_of_stream_time_fires_after_a_restart_without_records(tmp_path: Path) -> None:
    # Java: TaskManager.punctuate is called in each round of the loop, with or without records.
    Ticks.fired.clear()
    stage = Stage(tmp_path, processor=Ticks)
    stage.kafka.committed["in", 0] = (0, encode_partition_time(60_000))
    worker = stage.run(0)
    assert Ticks.fired == [60_000]
    worker.step()
    assert Ticks.fired == [60_000]
    stage.close()
    stage.host.close()


def test_a_function_that_hangs_when_silence_closes_a_window_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "_ASK_SECONDS", 0)
    named: list[str | None] = []

    def hangs(key: Any, value: int) -> None:
        until = monotonic() + PATIENCE_SECONDS
        while worker._processing.function is None and monotonic() < until:
            time.sleep(0.01)
        named.append(worker._processing.function)

    stage = Stage(tmp_path, when_idle=hangs)
    stage.kafka.write("in", 0, ("a", "x"))
    worker, until = stage.run(0), monotonic() + PATIENCE_SECONDS
    while not named and monotonic() < until:
        time.sleep(0.01)
        stage.clock.advance(10)
        worker.step()
    assert named, "silence closed no window"
    assert "hangs" in (named[0] or "")
    stage.close()
    stage.host.close()
