"""What has become of the topics of an application since it was planned."""

from __future__ import annotations

from penstock._engine.kafka.application.topic_watch import TopicChange, compare


def test_nothing_has_changed() -> None:
    assert compare({"in": 2, "changelog": None}, {"in": 2, "changelog": 7}) is None


def test_a_topic_is_gone() -> None:
    change = compare({"in": 2, "changelog": None}, {"in": 2})
    assert change == TopicChange(("changelog",), {})
    assert str(change) == "topic 'changelog' is gone"


def test_a_topic_has_more_partitions() -> None:
    change = compare({"in": 2}, {"in": 3})
    assert change == TopicChange((), {"in": (2, 3)})
    assert str(change) == "topic 'in' has 3 partitions, it had 2"


def test_a_pattern_matches_other_topics() -> None:
    change = compare({"in": 2}, {"in": 2}, frozenset({"in-new"}))
    assert change == TopicChange((), {}, ("in-new",))
    assert str(change) == "topic 'in-new' has come or gone for a pattern"
