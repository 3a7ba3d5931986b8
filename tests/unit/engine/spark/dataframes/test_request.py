"""What a reader asks for is checked before anything is read."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from penstock import serdes
from penstock._engine.kafka.client.topic_offsets import TopicChoice
from penstock._engine.spark.dataframes.request import ReadRequest, bounds_of, choice_of
from penstock.errors import ConfigError

ORDERS = TopicChoice(("orders",))


def test_topics_are_a_name_names_or_a_pattern() -> None:
    assert choice_of("orders") == ORDERS
    assert choice_of(["a", "b", "a"]) == TopicChoice(("a", "b"))
    assert choice_of(re.compile("a.*")) == TopicChoice(pattern="a.*")
    with pytest.raises(ConfigError, match="a compiled pattern; got 5"):
        choice_of(5)  # type: ignore[arg-type]


def test_a_pattern_must_say_all_in_its_text() -> None:
    assert choice_of(re.compile("(?i)a.*")) == TopicChoice(pattern="(?i)a.*")
    assert choice_of(re.compile("a.*", re.UNICODE)) == TopicChoice(pattern="a.*")
    with pytest.raises(ConfigError, match=re.escape("write (?i) into the pattern")):
        choice_of(re.compile("a.*", re.IGNORECASE))
    with pytest.raises(ConfigError, match=re.escape("write (?ax) into the pattern")):
        choice_of(re.compile("(?i)a.*", re.VERBOSE | re.ASCII))
    with pytest.raises(ConfigError, match="must be text"):
        choice_of(re.compile(b"a.*"))  # type: ignore[arg-type]


def test_a_stream_begins_at_the_end_and_a_table_at_its_beginning() -> None:
    assert ReadRequest(ORDERS).starting_as_stream == "latest"
    assert ReadRequest(ORDERS, table=True).starting_as_stream == "earliest"
    assert ReadRequest(ORDERS, table=True, starting="latest").starting_as_stream == "latest"


def test_a_table_is_not_read_in_parts_of_a_partition() -> None:
    assert ReadRequest(ORDERS, max_records_per_partition=5).records_per_split == 5
    assert ReadRequest(ORDERS, max_records_per_partition=5, table=True).records_per_split is None


def test_bounds_are_by_topic() -> None:
    assert bounds_of("latest") == {"": "latest"}
    assert bounds_of({"orders": {0: 5}}) == {"orders": {0: 5}}


def test_streams_have_no_end_and_batches_no_trigger() -> None:
    with pytest.raises(ConfigError, match="availableNow=True"):
        ReadRequest(ORDERS, ending="latest").check_stream()
    with pytest.raises(ConfigError, match="is for streams"):
        ReadRequest(ORDERS, max_offsets_per_trigger=5).check_batch()
    ReadRequest(ORDERS, max_offsets_per_trigger=5).check_stream()
    ReadRequest(ORDERS, ending=datetime(2026, 1, 1, tzinfo=UTC)).check_batch()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"choice": TopicChoice()}, "a topic must be named"),
        ({"choice": TopicChoice(("or ders",))}, "can be no topic"),
        ({"choice": TopicChoice(("orders*",))}, "subscribePattern"),
        ({"choice": TopicChoice(pattern="(")}, "must be a regular expression"),
        ({"starting": "erliest"}, "starting must be 'earliest', 'latest'"),
        ({"starting": {"orders": 5}}, "offsets by topic and partition"),
        ({"ending": {"orders": {"0": 5}}}, "ending must be"),
        ({"starting": datetime(2026, 1, 1)}, "must have a time zone"),  # noqa: DTZ001  # on purpose
        ({"starting": {"ordres": {0: 5}}}, "offsets of 'ordres', which is not read"),
        ({"max_offsets_per_trigger": 0}, "from 1 on; got 0"),
        ({"max_records_per_partition": "9"}, "from 1 on; got '9'"),
        ({"value": serdes.string}, "value must be a serde, such as"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        ReadRequest(**{"choice": ORDERS, **arguments})
