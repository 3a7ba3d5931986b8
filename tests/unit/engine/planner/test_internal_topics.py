"""Which topics an application needs for itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from penstock import Processor, Record, Repartitioned, Stores, StreamsBuilder, Topology, serdes
from penstock._engine.planner.internal_topics import (
    InternalTopicPlan,
    Kind,
    is_internal,
    plan_internal_topics,
    task_topic_name,
)
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import resolve_patterns
from penstock.stores import Logging, StoreBuilder
from penstock.stores._builders import join_store_builder, window_store_builder


class Echo(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)


def counting(logging: Logging = True) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store(
            "seen", key=serdes.string(), value=serdes.string(), logging=logging
        )
    )
    stream = builder.stream("in").repartition(Repartitioned(name="r"))
    stream.process(Echo, state_stores=["seen"]).to("out")
    return builder.build()


def planned(topology: Topology, counts: Mapping[str, int]) -> dict[str, InternalTopicPlan]:
    return plan_internal_topics(
        plan_subtopologies(topology, "app"), counts, ["app-r-repartition"], "app"
    )


COUNTS = {"in": 2, "app-r-repartition": 3}


def test_names_and_partitions() -> None:
    topics = planned(counting(), COUNTS)
    assert {name: (topic.kind, topic.partitions) for name, topic in topics.items()} == {
        "app-r-repartition": ("repartition", 3),
        "app-seen-changelog": ("changelog", 3),
        "app-penstock-tasks": ("tasks", 5),
    }


def test_a_store_that_is_not_logged_has_no_changelog() -> None:
    assert set(planned(counting(logging=False), COUNTS)) == {
        "app-r-repartition",
        "app-penstock-tasks",
    }


def test_settings_of_a_changelog_are_its_stores() -> None:
    topics = planned(counting(logging={"retention.ms": "5"}), COUNTS)
    assert topics["app-seen-changelog"].settings == {"retention.ms": "5"}


def test_without_tasks_there_is_a_task_topic_that_waits_for_them() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*")).to("out")
    (plan,) = plan_subtopologies(builder.build(), "app")
    topics = plan_internal_topics([resolve_patterns(plan, [])], {}, [], "app")
    assert [(topic.kind, topic.partitions) for topic in topics.values()] == [("tasks", 1)]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            "repartition",
            {
                "cleanup.policy": "delete",
                "retention.ms": "-1",
                "segment.bytes": "52428800",
                "message.timestamp.type": "CreateTime",
            },
        ),
        ("changelog", {"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"}),
    ],
)
def test_settings_are_javas(kind: Kind, expected: dict[str, str]) -> None:
    assert InternalTopicPlan("t", kind, 1, {}).settings_with({}) == expected


def settings_of_changelog(store: StoreBuilder, **additional: int) -> dict[str, str]:
    builder = StreamsBuilder()
    builder.add_state_store(store)
    builder.stream("in").process(Echo, state_stores=["s"]).to("out")
    plans = plan_subtopologies(builder.build(), "app")
    topics = plan_internal_topics(plans, {"in": 1}, [], "app", **additional)
    return topics["app-s-changelog"].settings_with({"retention.ms": "7", "segment.ms": "1"})


def test_windows_and_sessions_are_kept_a_day_longer_than_in_their_store() -> None:
    text = serdes.string()
    windows = Stores.persistent_window_store(
        "s", retention=100, window_size=10, key=text, value=text
    )
    sessions = Stores.in_memory_session_store("s", retention=100, key=text, value=text)
    expected = {
        "cleanup.policy": "compact,delete",
        "message.timestamp.type": "CreateTime",
        "retention.ms": str(24 * 60 * 60 * 1000 + 100),
        "segment.ms": "1",
    }
    assert settings_of_changelog(windows) == expected
    assert settings_of_changelog(sessions) == expected
    longer = settings_of_changelog(windows, additional_retention_ms=5)
    assert longer["retention.ms"] == "105"
    endless = window_store_builder(
        "s", text, text, retention_ms=2**63 - 1, window_size_ms=2**63 - 1
    )
    assert settings_of_changelog(endless)["retention.ms"] == str(2**63 - 1)


def test_of_a_window_s_changelog_the_user_has_the_last_word() -> None:
    text = serdes.string()
    store = Stores.persistent_window_store(
        "s", retention=9, window_size=9, key=text, value=text, logging={"retention.ms": "3"}
    )
    assert settings_of_changelog(store)["retention.ms"] == "3"


def test_joined_records_are_deleted_but_not_compacted() -> None:
    text = serdes.string()
    store = join_store_builder("s", text, text, retention_ms=50, window_size_ms=20)
    settings = settings_of_changelog(store)
    assert settings["cleanup.policy"] == "delete"
    assert settings["retention.ms"] == str(24 * 60 * 60 * 1000 + 50)


def test_versions_are_not_compacted_within_the_history() -> None:
    text = serdes.string()
    store = Stores.versioned_key_value_store("s", history_retention=50, key=text, value=text)
    settings = settings_of_changelog(store)
    assert settings["cleanup.policy"] == "compact"
    assert settings["min.compaction.lag.ms"] == str(24 * 60 * 60 * 1000 + 50)


def test_the_nearer_setting_wins() -> None:
    plan = InternalTopicPlan("t", "changelog", 1, {"segment.ms": "1"})
    of_all_topics = {"segment.ms": "2", "cleanup.policy": "compact,delete"}
    assert plan.settings_with(of_all_topics) == {
        "cleanup.policy": "compact,delete",
        "message.timestamp.type": "CreateTime",
        "segment.ms": "1",
    }


@pytest.mark.parametrize(
    ("topic", "internal"),
    [
        ("app-seen-changelog", True),
        ("app-r-repartition", True),
        (task_topic_name("app"), True),
        ("app-hop-subscription-registration-topic", True),
        ("app-hop-subscription-response-topic", True),
        ("app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000014-topic", True),
        ("app-orders-topic", False),
        ("app-orders", False),
        ("app", False),
        ("other-seen-changelog", False),
        ("application-seen-changelog", False),
    ],
)
def test_internal_topics_are_known_by_their_names(topic: str, internal: bool) -> None:
    assert is_internal(topic, "app") is internal
