"""A warning, with numbers, where a worker is allowed less memory than it may need."""

from __future__ import annotations

import pytest

from penstock import Grouped, Materialized, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock._engine.spark.streaming.python_memory import allowed_mib, needed_mib, warn_of_memory

SETTING = "spark.executor.pyspark.memory"
TEXT = serdes.string()


def blueprint(partitions: int, store: str = "rocksdb") -> Blueprint:
    builder = StreamsBuilder()
    builder.stream("in").group_by_key(Grouped(key=TEXT, value=TEXT)).count(
        Materialized("counts", store=store)  # type: ignore[arg-type]
    )
    config = StreamsConfig({"application.id": "app", "statestore.cache.max.bytes": 0})
    plans = plan_subtopologies(builder.build(), "app")
    tasks = tuple(plan_tasks(plans, {"in": partitions}))
    return Blueprint(config, tasks, {"in": partitions}, "tasks", frozenset())


@pytest.mark.parametrize(
    ("conf", "expected"),
    [
        ({}, None),
        ({SETTING: "512"}, 512),
        ({SETTING: "512m"}, 512),
        ({SETTING: "3g", "spark.executor.cores": "2"}, 1536),
        ({SETTING: "plenty"}, None),
    ],
)
def test_the_cores_of_an_executor_share_what_is_allowed(
    conf: dict[str, str], expected: int | None
) -> None:
    assert allowed_mib(conf) == expected


def test_stores_on_disk_need_their_caches_and_buffers() -> None:
    without = needed_mib(blueprint(4, "in_memory"), slots=1)
    # 50 MiB of blocks and three buffers of 16 MiB for each of four stores.
    assert needed_mib(blueprint(4), slots=1) == without + 4 * 98
    assert needed_mib(blueprint(4), slots=2) == without + 2 * 98


def test_too_little_is_told_with_numbers(caplog: pytest.LogCaptureFixture) -> None:
    planned = blueprint(2)
    needed = needed_mib(planned, slots=1)
    warn_of_memory({SETTING: "1g"}, planned, slots=1)
    assert f"allows a worker 1024 MiB of virtual memory, and it may need {needed}" in caplog.text


@pytest.mark.parametrize("conf", [{}, {SETTING: "8g"}], ids=["no limit", "enough"])
def test_enough_is_no_word_worth(conf: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    warn_of_memory(conf, blueprint(2), slots=1)
    assert caplog.text == ""
