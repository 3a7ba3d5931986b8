"""Keys: which there are, and what is said about the others."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import ConfigError
from penstock.settings.keys import dotted_key


@pytest.mark.parametrize(
    ("key", "dotted"),
    [
        ("poll.ms", "poll.ms"),
        ("poll_ms", "poll.ms"),
        ("penstock_turn_ms", "penstock.turn.ms"),
        ("consumer.fetch.min.bytes", "consumer.fetch.min.bytes"),
        ("main_consumer_fetch_min_bytes", "main.consumer.fetch.min.bytes"),
        ("producer.log_level", "producer.log_level"),
        ("producer_log_level", "producer.log_level"),
        ("security_protocol", "security.protocol"),
        ("app.my_own.key", "app.my_own.key"),
        ("app_limit", "app.limit"),
        ("topic.segment.ms", "topic.segment.ms"),
        ("topic.confluent.placement.constraints", "topic.confluent.placement.constraints"),
        ("consumer.topic.metadata.refresh.interval.ms",) * 2,
    ],
)
def test_a_key_is_known_by_its_dotted_name(key: str, dotted: str) -> None:
    assert dotted_key(key) == dotted


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "commit.intervall.ms",
            "setting 'commit.intervall.ms' is not known; did you mean 'commit.interval.ms'? "
            "(settings of your own start with 'app.')",
        ),
        (
            "consumer.fetch.min.byte",
            "setting 'consumer.fetch.min.byte' is not known; did you mean "
            "'consumer.fetch.min.bytes'? (settings of your own start with 'app.')",
        ),
        (
            "topic.segment.mss",
            "setting 'topic.segment.mss' is not known; did you mean 'topic.segment.ms'? "
            "(settings of your own start with 'app.')",
        ),
        (
            "producer.fetch.min.bytes",
            "setting 'producer.fetch.min.bytes' is not known: a producer has none; there is "
            "'consumer.fetch.min.bytes'",
        ),
        (
            "max.warmup.replicas",
            "setting 'max.warmup.replicas' of Kafka Streams has no effect in Penstock yet; leave "
            "it out",
        ),
        (
            "rack_aware_assignment_tags",
            "setting 'rack_aware_assignment_tags' of Kafka Streams has no effect in Penstock yet; "
            "leave it out",
        ),
        (
            "cache.max.bytes.buffering",
            "setting 'cache.max.bytes.buffering' is not known any more; it is called "
            "'statestore.cache.max.bytes' now",
        ),
        ("zzz", "setting 'zzz' is not known (settings of your own start with 'app.')"),
        (5, "a setting's key must be a str; got 5"),
    ],
)
def test_an_unknown_key_is_refused_with_what_was_meant(key: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        dotted_key(key)
    assert str(caught.value) == message
