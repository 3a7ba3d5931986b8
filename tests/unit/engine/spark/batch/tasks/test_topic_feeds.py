"""Which inputs the tasks of a backfill read from Kafka themselves."""

from __future__ import annotations

from itertools import islice

import pytest

from conformance.dataframes.comparison import planned
from conformance.dataframes.feeding import Fed
from penstock import Consumed, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.client.topic_history import TopicRange
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.start import settings_of
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds, in_equal_batches

TEXT = serdes.string()
RECORD = [Fed(0, 0, 1, b"k", b"v", ())]


def feeds_of(*topics: str) -> TopicFeeds:
    return TopicFeeds(
        {topic: TopicRange(topic, {0: 5, 1: 0}, {0: 5, 1: 9}) for topic in topics}, {}
    )


def renamed() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    return builder.build()


def foreign_key_join() -> Topology:
    builder = StreamsBuilder()
    left, right = (builder.table(name, Consumed(TEXT, TEXT)) for name in ("left", "right"))
    both = left.join(right, str, lambda one, _: one, materialized=Materialized("both", TEXT, TEXT))
    both.to_stream().to("out", Produced(TEXT, TEXT))
    return builder.build()


def test_a_stage_reads_those_of_its_topics_whose_history_is_in_kafka() -> None:
    config = settings_of({"application.id": "app"})
    (stage,) = planned(renamed(), config, {"in": RECORD}, 1).stages
    assert feeds_of("in", "other").topics_of(stage) == {"in"}
    assert feeds_of("other").topics_of(stage) == set()


def test_spark_brings_the_records_of_a_cycle() -> None:
    config = settings_of({"application.id": "app"})
    plan = planned(foreign_key_join(), config, {"left": RECORD, "right": RECORD}, 1)
    cycles = [stage for stage in plan.stages if stage.is_cycle]
    assert cycles
    assert all(feeds_of("left", "right").topics_of(stage) == set() for stage in cycles)


def test_a_partition_without_records_is_not_read() -> None:
    assert list(feeds_of("in").open([("in", 0), ("in", 1)])) == [("in", 1)]


@pytest.mark.parametrize("read", [[1] * 10, [10], [3, 4, 3], [9, 1], []])
def test_batches_end_at_the_same_records_however_they_were_read(read: list[int]) -> None:
    """A repeated task wrote other outputs: a batch's end decides when a bad record is handled."""
    raws: list[RawRecord] = [(offset, 0, None, None, ()) for offset in range(10)]
    records = iter(raws)
    feed = iter([list(islice(records, count)) for count in read])
    batches = [[record[0] for record in batch] for batch in in_equal_batches(feed, 4)]
    assert batches == ([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] if read else [])


@pytest.mark.parametrize("read", [[1] * 7, [7], [3, 4], [2, 4, 1]])
def test_batches_of_large_values_are_shorter_and_end_at_the_same_records(read: list[int]) -> None:
    sizes = [3, 3, 0, 20, 1, 1, 1]
    raws: list[RawRecord] = [(at, 0, None, b"x" * size, ()) for at, size in enumerate(sizes)]
    records = iter(raws)
    feed = iter([list(islice(records, count)) for count in read])
    batches = [[record[0] for record in batch] for batch in in_equal_batches(feed, 3, 6)]
    assert batches == [[0, 1], [2, 3], [4, 5, 6]]


def test_a_task_has_few_consumers() -> None:
    config = settings_of({"application.id": "app"})
    builder = StreamsBuilder()
    topics = [f"in-{number}" for number in range(9)]
    builder.stream(topics, Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    (stage,) = planned(builder.build(), config, dict.fromkeys(topics, RECORD), 1).stages
    assert feeds_of(*topics).topics_of(stage) == set()
    assert feeds_of(*topics[:8]).topics_of(stage) == set(topics[:8])


def test_a_partition_that_was_added_since_is_not_read() -> None:
    assert feeds_of("in").open([("in", 2)]) == {}
