"""How a backfill starts Spark: it disturbs no application that runs, and leaves no session behind.
(With a real Spark: tests/spark/test_backfill.py.)
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import SparkConf, SparkContext

from penstock import Consumed, Produced, Repartitioned, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.client.topic_history import TopicRange
from penstock._engine.planner.layout import draft_of
from penstock._engine.planner.stages import plan_job
from penstock._engine.spark import session
from penstock._engine.spark.batch import backfill
from penstock._engine.spark.batch.backfill_inputs import InputOptions
from penstock._engine.spark.batch.start import settings_of
from penstock._engine.spark.batch.tasks.direct import is_direct
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock.database import Database
from penstock.errors import StreamsError
from penstock.outbox import write_once
from penstock.settings import StreamsConfig

WAIT_SECONDS = 20
TEXT = serdes.string()


def renamed() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder.build()


@pytest.fixture
def config(tmp_path: Path) -> StreamsConfig:
    return StreamsConfig(
        {"application.id": "app", "bootstrap.servers": "b:1", "state.dir": str(tmp_path)}
    )


def test_a_refused_backfill_leaves_the_log_of_the_application_alone(
    config: StreamsConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched = threading.Event()

    def launch(conf: SparkConf, options: dict[str, Any]) -> Any:
        os.write(options["stdout"], b"a JVM for nothing\n")
        launched.set()
        return SimpleNamespace(
            shutdown=lambda: None, proc=SimpleNamespace(stdin=None, wait=lambda seconds: 0)
        )

    def refuse(*_: object, reset: bool) -> Any:
        assert launched.wait(WAIT_SECONDS), "no JVM was started early"
        raise StreamsError("the application runs")

    monkeypatch.setattr(session, "launch_gateway", launch)
    monkeypatch.setattr(session, "_has_jvm", lambda: False)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(backfill, "admit", refuse)
    log = session.log_path(config)
    log.parent.mkdir(parents=True)
    log.write_text("of the application\n")
    with pytest.raises(StreamsError, match="the application runs"):
        backfill.backfill(renamed(), config)
    assert log.read_text() == "of the application\n"
    assert (log.parent / "backfill.log").read_text() == "a JVM for nothing\n"


class Broken:
    """A session whose JVM is gone as soon as it is there."""

    is_stopped = False

    @property
    def sparkContext(self) -> Any:
        raise ConnectionError("the JVM is gone")

    def stop(self) -> None:
        self.is_stopped = True


@pytest.mark.parametrize("owned", [True, False])
def test_a_session_of_ours_is_stopped_if_its_workers_cannot_be_started(
    config: StreamsConfig, monkeypatch: pytest.MonkeyPatch, *, owned: bool
) -> None:
    made = Broken()
    admitted = SimpleNamespace(blueprint=None)
    monkeypatch.setattr(backfill, "launch_early", lambda *_, **options: None)
    monkeypatch.setattr(backfill, "admit", lambda *_, reset: admitted)
    monkeypatch.setattr(backfill, "session_for", lambda *_, **options: (made, owned))
    monkeypatch.setattr(backfill, "topics_with_history", lambda blueprint: made.sparkContext)
    with pytest.raises(ConnectionError):
        backfill.backfill(renamed(), config)
    assert made.is_stopped == owned


def written_once(source: Any = "in", *, repartitioned: bool = False) -> Topology:
    once: Any = write_once(Database("sqlite::memory:"), lambda *_: None, name="orders")
    builder = StreamsBuilder()
    stream = builder.stream(source, Consumed(TEXT, TEXT))
    stream = stream.repartition(Repartitioned("r", TEXT, TEXT)) if repartitioned else stream
    stream.process_values(once).to("out", Produced(TEXT, TEXT))
    return builder.build()


@pytest.mark.parametrize(
    ("topology", "files"),
    [
        (written_once(repartitioned=True), {}),
        (written_once(), {"in": "without-offsets"}),
        (written_once(re.compile("i.")), {"in": "without-offsets"}),
    ],
)
def test_a_reset_deletes_nothing_if_write_once_is_refused(
    config: StreamsConfig, monkeypatch: pytest.MonkeyPatch, topology: Topology, files: Any
) -> None:
    made, deleted = Broken(), []
    monkeypatch.setattr(backfill, "launch_early", lambda *_, **options: None)
    monkeypatch.setattr(backfill, "admit", lambda *_, reset: deleted.append(reset))
    monkeypatch.setattr(backfill, "session_for", lambda *_, **options: (made, True))
    monkeypatch.setattr(backfill, "without_offsets", lambda *_: set(files))
    with pytest.raises(StreamsError, match=r"write_once\(name='orders'\) knows records by"):
        backfill.backfill(topology, config, InputOptions(files=files), reset=True)
    assert deleted == []
    assert made.is_stopped == bool(files)


def test_a_reset_with_write_once_of_files_with_offsets_is_admitted(
    config: StreamsConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Broken()

    def refuse(*_: object, reset: bool) -> Any:
        raise StreamsError("the application runs")

    monkeypatch.setattr(backfill, "launch_early", lambda *_, **options: None)
    monkeypatch.setattr(backfill, "admit", refuse)
    monkeypatch.setattr(backfill, "session_for", lambda *_, **options: (made, True))
    monkeypatch.setattr(backfill, "without_offsets", lambda *_: set())
    options = InputOptions(files={"in": "with-offsets"})
    with pytest.raises(StreamsError, match="the application runs"):
        backfill.backfill(written_once(), config, options, reset=True)
    assert made.is_stopped


@pytest.mark.parametrize("begun", [True, False])
def test_a_backfill_that_has_begun_with_write_once_goes_on_with_a_warning(
    caplog: pytest.LogCaptureFixture, *, begun: bool
) -> None:
    plans = draft_of(written_once(repartitioned=True), "app").plans
    tasks = [SimpleNamespace(subtopology=plan) for plan in plans]
    admitted: Any = SimpleNamespace(
        blueprint=SimpleNamespace(tasks=tasks), begun=object() if begun else None
    )
    inputs: Any = SimpleNamespace(plans={"in": None}, given={})
    if begun:
        backfill._check_marks(admitted, inputs)
        assert "goes on, but rows may be missing: write_once(name='orders')" in caplog.text
    else:
        with pytest.raises(StreamsError, match="those of 'app-r-repartition' have none"):
            backfill._check_marks(admitted, inputs)


def reading(*sources: Any) -> Topology:
    builder = StreamsBuilder()
    for source in sources:
        builder.stream(source).to("out")
    return builder.build()


def counted() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").select_key(lambda key, value: value).group_by_key().count()
    return builder.build()


def joined_globally() -> Topology:
    builder = StreamsBuilder()
    everywhere = builder.global_table("all")
    stream = builder.stream("in")
    stream.join(everywhere, lambda key, value: key, lambda one, other: one).to("out")
    return builder.build()


def read_again() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("between")
    builder.stream("between").to("out")
    return builder.build()


MANY = [f"in-{number}" for number in range(9)]


@pytest.mark.parametrize(
    ("topology", "topics", "before", "then"),
    [
        (renamed(), ["in"], True, True),
        (reading(*MANY), MANY, True, True),
        (reading(MANY[:8]), MANY[:8], True, True),
        (reading(MANY), MANY, False, False),
        (reading(re.compile("in-.*")), MANY, False, False),
        # What a pattern matches is known too late for the JVM.
        (reading(re.compile("in-.*")), MANY[:8], False, True),
        (counted(), ["in"], False, False),
        (joined_globally(), ["in", "all"], False, False),
        (read_again(), ["in"], False, False),
    ],
)
def test_what_is_known_before_the_start_is_what_the_job_does(
    topology: Topology, topics: list[str], *, before: bool, then: bool
) -> None:
    settings = settings_of({"application.id": "app"})
    plan = plan_job(topology, settings, dict.fromkeys(topics, 1), {})
    feeds = TopicFeeds({topic: TopicRange(topic, {0: 0}, {0: 1}) for topic in topics}, {})
    assert backfill.can_be_direct(topology, "app") == before
    assert is_direct(plan, feeds) == then
