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
from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes
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
