"""A worker of a small program on a Kafka in memory, for tests of the order of what it does."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from penstock import (
    Consumed,
    EmitStrategy,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    serdes,
)
from penstock._clock import ManualClock
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.layout import draft_of, lay_out
from penstock.settings import StreamsConfig
from tests.unit.engine.kafka.worker.fake_kafka import FakeKafka

TEXT, LONG = serdes.string(), serdes.long()
CHANGELOG = "app-counts-changelog"
COMMIT_MS = 100


def count_by_key(state_dir: Path, **settings: Any) -> Blueprint:
    """Plan a program that counts the records of each key of topic 'in', two partitions, into 'out';
    tasks 0_0 and 0_1.
    """
    builder = StreamsBuilder()
    processor = settings.pop("processor", None)
    if processor is not None:
        builder.stream("in", Consumed(TEXT, TEXT)).process(processor)
    consumed = Consumed(TEXT, TEXT, offset_reset=settings.pop("offset_reset", None))
    counts = builder.stream("in", consumed).group_by_key()
    when_idle = settings.pop("when_idle", None)
    if when_idle is not None:
        moment = timedelta(milliseconds=1)
        windows = counts.windowed_by(TimeWindows.of_size(moment))
        closed = windows.emit_strategy(EmitStrategy.on_window_close(idle_after=moment))
        closed.count(Materialized("closed", TEXT, LONG)).to_stream().for_each(when_idle)
    counts.count(Materialized("counts", TEXT, LONG)).to_stream().to("out", Produced(TEXT, LONG))
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "127.0.0.1:1",
            "state.dir": str(state_dir),
            "processing.guarantee": "exactly_once_v2",
            "statestore.cache.max.bytes": 0,
            "commit.interval.ms": COMMIT_MS,
            **settings,
        }
    )
    layout = lay_out(draft_of(builder.build(), "app"), {"in": 2}, config)
    return Blueprint(
        config,
        layout.tasks,
        layout.partition_counts,
        "app-penstock-tasks",
        frozenset(layout.internal_topics),
        output_topics=frozenset({"out"}),
    )


class Stage:
    """A worker, its host and its Kafka."""

    def __init__(self, state_dir: Path, **settings: Any) -> None:
        self.kafka = FakeKafka()
        self.clock = ManualClock(1_000_000)
        self.blueprint = count_by_key(state_dir, **settings)
        self.host = TaskHost(self.blueprint)
        self.outputs: list[str] = []
        self.worker: Worker
        self.is_open = False

    def open(self, *tasks: int) -> Worker:
        """Open a worker to which the group assigns `tasks` at its first poll."""
        self.worker = Worker(
            self.blueprint,
            self.host,
            self.kafka.clients(),
            self._on_commit,
            keep=lambda outputs: sum(each[0] == "out" for each in outputs),
            clock=self.clock,
        )
        self.is_open = True
        self.kafka.membership.assign(*tasks)
        return self.worker

    def run(self, *tasks: int) -> Worker:
        """Open a worker and take its first step, in which it processes what there is."""
        worker = self.open(*tasks)
        worker.step()
        return worker

    def step_and_commit(self) -> None:
        """Take a step in which a commit is due."""
        self.clock.advance(COMMIT_MS)
        self.worker.step()

    def close(self) -> None:
        self.is_open = False
        self.worker.close()

    def _on_commit(self, results: int) -> None:
        self.kafka.note(f"{results} results")
