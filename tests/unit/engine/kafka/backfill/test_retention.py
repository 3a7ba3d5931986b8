"""Windows of a history that ended long ago are kept until the live application has read them."""

from __future__ import annotations

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, serdes
from penstock._engine.kafka.backfill.retention import retentions
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock.settings import StreamsConfig

TEXT = serdes.string()
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS


def blueprint() -> Blueprint:
    """Plan an application with a store of windows and another."""
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed(TEXT, TEXT)).group_by_key()
    grouped.count(Materialized("all", TEXT, serdes.long()))
    hourly = grouped.windowed_by(TimeWindows.of_size(HOUR_MS))
    hourly.count(Materialized("hourly", TEXT, serdes.long()))
    tasks = plan_tasks(plan_subtopologies(builder.build(), "app"), {"in": 2})
    config = StreamsConfig({"application.id": "app"})
    return Blueprint(config, tuple(tasks), {"in": 2}, "app-penstock-tasks", frozenset())


def test_windows_of_an_old_history_are_kept_longer() -> None:
    # Windows of an hour, kept a day longer than that, and three days because history is so old.
    kept_ms = HOUR_MS + DAY_MS + 3 * DAY_MS

    assert retentions(blueprint(), 3 * DAY_MS) == {"app-hourly-changelog": kept_ms}


def test_windows_of_a_history_that_has_just_ended_are_kept_long_enough() -> None:
    assert retentions(blueprint(), DAY_MS) == {}
