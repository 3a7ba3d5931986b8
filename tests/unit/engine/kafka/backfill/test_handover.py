"""Whoever goes live long after history has ended is told what the broker forgets."""

from __future__ import annotations

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, serdes
from penstock._engine.kafka.backfill.handover import forgetful_changelogs
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock.settings import StreamsConfig

TEXT = serdes.string()
DAY_MS = 24 * 60 * 60 * 1000


def blueprint() -> Blueprint:
    """Plan an application with a store of windows and another."""
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed(TEXT, TEXT)).group_by_key()
    grouped.count(Materialized("all", TEXT, serdes.long()))
    hourly = grouped.windowed_by(TimeWindows.of_size(60 * 60 * 1000))
    hourly.count(Materialized("hourly", TEXT, serdes.long()))
    tasks = plan_tasks(plan_subtopologies(builder.build(), "app"), {"in": 2})
    config = StreamsConfig({"application.id": "app"})
    return Blueprint(config, tuple(tasks), {"in": 2}, "app-penstock-tasks", frozenset())


def test_windows_of_an_old_history_are_soon_forgotten() -> None:
    assert forgetful_changelogs(blueprint(), 3 * DAY_MS) == ["app-hourly-changelog"]


def test_windows_of_a_history_that_has_just_ended_are_kept() -> None:
    assert forgetful_changelogs(blueprint(), DAY_MS) == []
