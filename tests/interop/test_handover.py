"""An application goes from Java to Penstock and back: offsets, changelogs, repartition topics.

Both run the same program under the same `application.id`, one after the other, against a real
broker. Every word must be counted once, by either side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.interop.relay import Relay

pytestmark = pytest.mark.slow


@pytest.fixture
def relay(kafka_broker: LocalBroker, tmp_path: Path) -> Iterator[Callable[[str, str], Relay]]:
    """Make relays."""
    made: list[Relay] = []

    def make(application_id: str, guarantee: str) -> Relay:
        made.append(Relay(kafka_broker.bootstrap_servers, application_id, guarantee, tmp_path))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize(
    "guarantee",
    ["exactly_once_v2", pytest.param("at_least_once", marks=pytest.mark.long)],
)
def test_penstock_goes_on_where_java_stopped_and_java_where_penstock_stopped(
    guarantee: str, relay: Callable[[str, str], Relay], spark: SparkSession
) -> None:
    counts = relay(f"from-java-{guarantee}", guarantee)
    with counts.java():
        counts.write("to be or not to be")
        assert counts.counts() == counts.counted_once()
    with counts.penstock(spark):
        counts.write("that is the question or is it not")
        assert counts.counts() == counts.counted_once()
    with counts.java():
        counts.write("to be is not the question")
        assert counts.counts() == counts.counted_once()


def test_penstock_reads_what_java_left_in_the_repartition_topic(
    relay: Callable[[str, str], Relay], spark: SparkSession
) -> None:
    counts = relay("half-by-java", "exactly_once_v2")
    with counts.java():
        counts.write("one two two")
        assert counts.counts() == counts.counted_once()
    with counts.java("half"):
        counts.write("two three three three")
        counts.wait_for_words_left_halfway()
    with counts.penstock(spark):
        assert counts.counts() == counts.counted_once()


def test_java_reads_what_penstock_left_in_the_repartition_topic(
    relay: Callable[[str, str], Relay], spark: SparkSession
) -> None:
    counts = relay("half-by-penstock", "exactly_once_v2")
    with counts.penstock(spark):
        counts.write("one two two")
        assert counts.counts() == counts.counted_once()
    with counts.penstock(spark, "half"):
        counts.write("two three three three")
        counts.wait_for_words_left_halfway()
    with counts.java():
        assert counts.counts() == counts.counted_once()
