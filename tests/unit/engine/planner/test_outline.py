"""A layout in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    serdes,
)
from penstock._engine.planner.layout import draft_of, lay_out
from penstock._engine.planner.outline import Outline, SlotsOutline, outline, plan_slots

TEXT = serdes.string()


def config(**more: Any) -> StreamsConfig:
    settings = {key.replace("_", "."): value for key, value in more.items()}
    return StreamsConfig({"application.id": "app", **settings})


def windows() -> Outline:
    builder = StreamsBuilder()
    (
        builder.stream("views", Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .windowed_by(TimeWindows.of_size(60_000, grace=5_000))
        .count(Materialized("counts"))
    )
    settings = config(topic_segment_bytes=1000)
    return outline(lay_out(draft_of(builder.build(), "app"), {"views": 2}, settings), settings, 4)


def test_stores_and_topics() -> None:
    shown = windows()
    (part,) = shown.subtopologies
    (store,) = part.stores
    assert (part.reads, part.tasks) == (("views",), ("0_0", "0_1"))
    assert (store.name, store.engine, store.cached) == ("counts", "rocksdb", True)
    assert (store.retention_ms, store.restored_from) == (65_000, "app-counts-changelog")
    changelog, tasks = shown.internal_topics
    assert changelog.settings["cleanup.policy"] == "compact,delete"
    assert changelog.settings["segment.bytes"] == "1000"
    assert "segment.bytes" not in tasks.settings


@pytest.mark.parametrize(
    ("settings", "count", "each"),
    [
        ({}, 4, (2, 2, 1, 1)),
        ({"num_stream_threads": 2}, 2, (3, 3)),
        ({"penstock_spark_master": "local[3,4]"}, 3, (2, 2, 2)),
        ({"penstock_spark_master": "local"}, 1, (6,)),
        ({"penstock_spark_master": "local-cluster[2,4,1024]"}, 8, (1, 1, 1, 1, 1, 1, 0, 0)),
        ({"penstock_spark_master": "spark://host:7077"}, None, ()),
    ],
)
def test_slots(settings: dict[str, Any], count: int | None, each: tuple[int, ...]) -> None:
    slots = plan_slots(config(**settings), cores=4, task_count=6)
    assert (slots.count, slots.tasks_of_each) == (count, each)
    assert isinstance(slots, SlotsOutline)
