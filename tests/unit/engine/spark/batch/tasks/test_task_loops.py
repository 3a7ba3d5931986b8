"""A worker's tasks take their records in the order in which the runtime would choose them, however
the rows are cut into batches; and the work is bounded.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.dataframes.comparison import planned
from conformance.dataframes.feeding import Fed, Inputs
from conformance.dataframes.reference import Reference
from conformance.dataframes.run import program_differences, run_without_spark
from conformance.dataframes.without_spark import LocalJob
from penstock import (
    Consumed,
    Processor,
    Produced,
    Record,
    Repartitioned,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.planner.stages import plan_job
from penstock._engine.spark.batch.start import settings_of
from penstock.errors import StreamsError

BYTES = serdes.bytes()
CONFIG = settings_of({"application.id": "app"})
TOPICS = ("a", "b", "c")


def merged() -> Topology:
    builder = StreamsBuilder()
    streams = [builder.stream(topic, Consumed(BYTES, BYTES)) for topic in TOPICS]
    streams[0].merge(streams[1]).merge(streams[2]).to("out", Produced(BYTES, BYTES))
    return builder.build()


def inputs_with(times: list[list[int]]) -> Inputs:
    """Return records of these times by topic, all in one partition."""
    return {
        topic: [
            Fed(0, offset, time, b"k", f"{topic}{offset}".encode(), ())
            for offset, time in enumerate(of_topic)
        ]
        for topic, of_topic in zip(TOPICS, times, strict=True)
    }


several_times = st.lists(
    st.lists(st.integers(0, 4), max_size=12), min_size=len(TOPICS), max_size=len(TOPICS)
)


@settings(max_examples=60)
@given(several_times, st.integers(1, 6))
def test_records_come_in_the_order_that_the_runtime_chooses(
    times: list[list[int]], batch_rows: int
) -> None:
    inputs = inputs_with(times)
    plan = planned(merged(), CONFIG, inputs, 1)
    job = LocalJob(plan, inputs, batch_rows=batch_rows)
    assert job.outcome()[0] == Reference(plan, inputs).topics
    read = {(topic, 0): len(records) for topic, records in inputs.items() if records}
    assert job.positions() == read


def chained() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("a", Consumed(BYTES, BYTES))
    stream.select_key(lambda key, value: value[-1:]).repartition().to("out", Produced(BYTES, BYTES))
    return builder.build()


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 3)), max_size=25),
    st.integers(1, 4),
)
def test_records_of_several_senders_are_merged_by_their_times(
    drawn: list[tuple[int, int, int]], batch_rows: int
) -> None:
    records = [
        Fed(partition, offset, time, b"k", f"{partition}-{offset}-{target}".encode(), ())
        for offset, (partition, time, target) in enumerate(drawn)
    ]
    config = settings_of({"application.id": "app", "default.key.serde": BYTES})
    config = settings_of({**config.given(), "default.value.serde": BYTES})
    plan = planned(chained(), config, {"a": records}, 3)
    topics, _ = LocalJob(plan, {"a": records}, batch_rows=batch_rows).outcome()
    assert topics == Reference(plan, {"a": records}).topics
    for place, written in topics.items():
        for sender in range(3):
            offsets = [
                int(value.split(b"-")[1])
                for _, value, _, _ in written
                if value and value.startswith(b"%d-" % sender)
            ]
            assert offsets == sorted(offsets), place


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 52))
def test_random_programs_say_what_the_reference_says(seed: int) -> None:
    outcome = program_differences(seed, run_without_spark)
    assert isinstance(outcome, str) or outcome == []


def test_an_output_to_an_input_is_refused() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(BYTES, BYTES)).to(
        lambda key, value, context: "a", Produced(BYTES, BYTES)
    )
    inputs = {"a": [Fed(0, 0, 1, b"k", b"v", ())]}
    plan = plan_job(builder.build(), CONFIG, {"a": 1}, {})
    with pytest.raises(StreamsError, match="a record was sent to topic 'a', which is an input"):
        LocalJob(plan, inputs)


def test_an_output_to_a_topic_between_stages_that_only_the_record_names_is_refused() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(BYTES, BYTES)).to("again", Produced(BYTES, BYTES))
    builder.stream("again", Consumed(BYTES, BYTES)).to(
        lambda key, value, context: "again", Produced(BYTES, BYTES)
    )
    inputs = {"a": [Fed(0, 0, 1, b"k", b"v", ())]}
    plan = plan_job(builder.build(), CONFIG, {"a": 1}, {})
    with pytest.raises(
        StreamsError, match="a record was sent to topic 'again', which the topology"
    ):
        LocalJob(plan, inputs)


@pytest.mark.parametrize("chosen", [3, 4])
def test_a_partition_that_a_topic_between_stages_does_not_have_is_refused(chosen: int) -> None:
    builder = StreamsBuilder()
    repartitioned = Repartitioned("by-size", BYTES, BYTES, 3, lambda *record: chosen)
    builder.stream("a", Consumed(BYTES, BYTES)).repartition(repartitioned).to("out")
    inputs = {"a": [Fed(0, 0, 1, b"k", b"v", ())]}
    plan = plan_job(builder.build(), CONFIG, {"a": 1}, {})
    said = f"it has no partition {chosen}, as it has 3; a partitioner must choose one that"
    with pytest.raises(StreamsError, match=said):
        LocalJob(plan, inputs)


class OffsetsSeen(Processor[bytes, bytes, bytes, bytes]):
    """Forwards the offset of each record instead of its value."""

    def process(self, record: Record[bytes, bytes]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        self.context.forward(record.with_value(b"%d" % metadata.offset))


def test_a_cycle_reads_what_an_earlier_stage_has_written_to_its_own_topic() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(BYTES, BYTES)).to("again", Produced(BYTES, BYTES))
    tried = builder.stream("again", Consumed(BYTES, BYTES))
    failed = tried.filter(lambda key, value: len(value) < 3).map_values(lambda value: value + b"!")
    failed.to("again", Produced(BYTES, BYTES))
    tried.to("out", Produced(BYTES, BYTES))
    tried.process(OffsetsSeen).to("offsets", Produced(BYTES, BYTES))
    inputs = {"a": [Fed(0, at, at, b"k", b"%d" % at, ()) for at in range(4)]}
    plan = planned(builder.build(), CONFIG, inputs, 1)
    topics, _ = LocalJob(plan, inputs).outcome()
    expected = Reference(plan, inputs).topics
    assert len(topics["out", 0]) == 12
    assert {place: topics[place] for place in (("out", 0), ("again", 0))} == {
        place: expected[place] for place in (("out", 0), ("again", 0))
    }
    assert [value for _, value, _, _ in topics["offsets", 0]] == [b"%d" % at for at in range(12)]
