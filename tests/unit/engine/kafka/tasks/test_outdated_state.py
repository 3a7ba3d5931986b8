"""Which local state is too old for what its changelog still tells of deletions."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from penstock._engine.kafka.tasks.outdated_state import (
    AgedState,
    deletions_kept_ms,
    find_outdated,
    states_on_disk,
)
from penstock._engine.kafka.tasks.restore import RestoreJob

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
NOW_MS = 1_700_000_000_000


class Cluster:
    """Tells the settings of topics, or refuses to."""

    def __init__(self, settings: dict[str, str] | None) -> None:
        self.settings = settings
        self.asked: list[str] = []

    def describe_configs(self, resources: list[Any], **_: Any) -> dict[Any, Future[Any]]:
        answers = {}
        for resource in resources:
            self.asked.append(resource.name)
            answers[resource] = Future[Any]()
            if self.settings is None:
                denied = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
                answers[resource].set_exception(KafkaException(denied))
            else:
                entries = {key: SimpleNamespace(value=it) for key, it in self.settings.items()}
                answers[resource].set_result(entries)
        return answers


def outdated(
    cluster: Cluster,
    age_ms: int | None = 2 * DAY_MS,
    start: int | None = 5,
    end: int = 9,
    *,
    is_own: bool = True,
) -> list[tuple[str, int]]:
    complete_ms = None if age_ms is None else NOW_MS - age_ms
    state = AgedState(("changelog", 3), start, end, complete_ms, is_own)
    admin: Any = cluster
    return [error.changelog for error in find_outdated([state], admin, NOW_MS, 1.0)]


COMPACTED = {"cleanup.policy": "compact", "delete.retention.ms": str(DAY_MS)}


@pytest.mark.parametrize(
    ("age_ms", "is_outdated"),
    [
        (31_000, False),
        (22 * HOUR_MS, False),
        (23 * HOUR_MS + 1, True),
        (30 * DAY_MS, True),
        (-HOUR_MS, False),
        (-2 * DAY_MS, True),
    ],
)
def test_state_is_outdated_when_deletions_may_be_gone(age_ms: int, is_outdated: bool) -> None:
    assert outdated(Cluster(COMPACTED), age_ms) == ([("changelog", 3)] if is_outdated else [])


def test_changelogs_of_windows_are_compacted_as_well() -> None:
    assert outdated(Cluster({**COMPACTED, "cleanup.policy": "compact,delete"}))


def test_a_topic_that_is_not_compacted_keeps_deletions_as_long_as_anything() -> None:
    assert not outdated(Cluster({**COMPACTED, "cleanup.policy": "delete"}))


def test_settings_that_may_not_be_seen_are_taken_for_those_of_kafka() -> None:
    assert outdated(Cluster(None), 2 * DAY_MS)
    assert not outdated(Cluster(None), 22 * HOUR_MS)
    assert deletions_kept_ms({}, is_own=True) == DAY_MS


@pytest.mark.parametrize(
    ("age_ms", "start", "end"),
    [
        (None, 5, 9),  # of a version that noted no times
        (2 * DAY_MS, 9, 9),  # complete: there is nothing to read
        (2 * DAY_MS, None, 9),  # empty: it is read from the beginning
        (2 * DAY_MS, 0, 9),
        (5_000, 5, 9),
    ],
)
def test_the_cluster_is_not_asked_about_state_that_is_right(
    age_ms: int | None, start: int | None, end: int
) -> None:
    cluster = Cluster({**COMPACTED, "delete.retention.ms": "0"})
    assert outdated(cluster, age_ms, start, end) == []
    assert cluster.asked == []


def test_a_topic_of_the_user_must_be_known_to_hold_all_rows() -> None:
    assert outdated(Cluster(COMPACTED), is_own=False)
    assert not outdated(Cluster({**COMPACTED, "cleanup.policy": "compact,delete"}), is_own=False)
    assert not outdated(Cluster({**COMPACTED, "cleanup.policy": "delete"}), is_own=False)
    assert not outdated(Cluster(None), is_own=False)


def test_only_stores_on_disk_have_an_age_and_topics_of_inputs_are_the_users() -> None:
    """What is in an engine of the user's own could not be deleted, and would be old for ever."""
    jobs = [RestoreJob((name, 0), 5, 9, lambda *_: None, name) for name in ("log", "in", "own")]
    stores: Any = {
        (name, 0): SimpleNamespace(is_on_disk=name != "own") for name in ("log", "in", "own")
    }
    plan: Any = SimpleNamespace(inputs=(("in", 0),))
    times: Any = SimpleNamespace(of=lambda store: NOW_MS)
    assert states_on_disk(jobs, stores, plan, times) == [
        AgedState(("log", 0), 5, 9, NOW_MS, is_own=True),
        AgedState(("in", 0), 5, 9, NOW_MS, is_own=False),
    ]
