"""Windows of a history that ended long ago are kept until the live application has read them."""

from __future__ import annotations

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, TimeWindows, serdes
from penstock._engine.kafka.backfill.retention import inputs_of_windows, retentions
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

    assert retentions(blueprint(), {0: 3 * DAY_MS}) == {"app-hourly-changelog": kept_ms}


def test_windows_of_a_history_that_has_just_ended_are_kept_long_enough() -> None:
    assert retentions(blueprint(), {0: DAY_MS}) == {}


def test_windows_are_as_old_as_all_that_feeds_them() -> None:
    """Through repartition topics and topics of the user's; other sub-topologies do not count."""
    builder = StreamsBuilder()
    read, by_value = Consumed(TEXT, TEXT), Grouped("by-value", TEXT, TEXT)
    builder.stream("through", read).merge(builder.stream("other", read)).group_by(
        lambda key, value: value, by_value
    ).windowed_by(TimeWindows.of_size(HOUR_MS)).count(Materialized("hourly", TEXT, serdes.long()))
    builder.stream("in", read).to("through", Produced(TEXT, TEXT))
    builder.stream("elsewhere", read).group_by_key().count(Materialized("all", TEXT, serdes.long()))
    plans = plan_subtopologies(builder.build(), "app")
    counts = dict.fromkeys({topic for plan in plans for topic in plan.source_topics()}, 1)
    tasks = plan_tasks(plans, counts)
    config = StreamsConfig({"application.id": "app"})
    planned = Blueprint(config, tuple(tasks), counts, "app-penstock-tasks", frozenset())
    (counting,) = {task.subtopology.id for task in tasks if "hourly" in task.subtopology.stores}
    assert inputs_of_windows(planned) == {counting: {"in", "other"}}
    assert retentions(planned, {counting: 9 * DAY_MS}) == {
        "app-hourly-changelog": HOUR_MS + DAY_MS + 9 * DAY_MS
    }
