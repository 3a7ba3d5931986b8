"""The order of a bounded run's stages, how many partitions topics have, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from penstock import (
    Consumed,
    Grouped,
    KStream,
    Produced,
    Repartitioned,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.stages import JobPlan, plan_job, topics_of_marks, topics_to_be_given
from penstock.database import Database
from penstock.errors import StreamsError
from penstock.outbox import write_once
from penstock.settings import StreamsConfig

TEXT = serdes.string()
CONFIG = StreamsConfig({"application.id": "app"})


def plan(topology: Topology, **given: int) -> JobPlan:
    return plan_job(topology, CONFIG, given, {})


def chain() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("a", Consumed(TEXT, TEXT)).map(lambda key, value: (value, key))
    stream.group_by_key(Grouped("g", TEXT, TEXT)).count().to_stream().to("out")
    return builder.build()


def joined_by_foreign_key() -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left", Consumed(TEXT, TEXT))
    right = builder.table("right", Consumed(TEXT, TEXT))
    joined = left.join(right, lambda value: value, lambda one, other: one + other)
    joined.to_stream().to("out", Produced(TEXT, TEXT))
    return builder.build()


def joined_streams() -> Topology:
    builder = StreamsBuilder()
    table = builder.table("table", Consumed(TEXT, TEXT))
    stream = builder.stream("stream", Consumed(TEXT, TEXT))
    stream.join(table, lambda one, other: one).to("out")
    return builder.build()


def test_a_stage_comes_after_those_that_feed_it() -> None:
    job = plan(chain(), a=3)
    assert [(stage.name, stage.is_cycle) for stage in job.stages] == [
        ("sub-topology 0", False),
        ("sub-topology 1", False),
    ]
    assert [stage.topics() for stage in job.stages] == [["a"], ["app-g-repartition"]]
    assert [stage.spark_partitions for stage in job.stages] == [3, 3]
    assert job.sinks == ("out",)
    assert job.partition_count("out") == 3


def test_sub_topologies_that_feed_each_other_are_one_stage() -> None:
    [stage] = plan(joined_by_foreign_key(), left=2, right=3).stages
    assert (stage.name, stage.is_cycle) == ("sub-topologies 0 and 1", True)
    assert stage.spark_partitions == 1
    assert len(stage.tasks) == 2 + 3


def test_a_topic_that_the_program_writes_and_reads_is_no_input() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(TEXT, TEXT)).to("b", Produced(TEXT, TEXT))
    builder.stream("b", Consumed(TEXT, TEXT)).to("c", Produced(TEXT, TEXT))
    topology = builder.build()
    assert topics_to_be_given(topology, "app") == ({"a"}, [])
    job = plan(topology, a=4)
    assert [stage.topics() for stage in job.stages] == [["a"], ["b"]]
    assert (job.sinks, job.partition_count("b")) == (("b", "c"), 4)


def test_counts_that_are_asked_for_are_those_of_topics_that_are_written() -> None:
    job = plan_job(chain(), CONFIG, {"a": 3}, {"out": 7})
    assert job.partition_count("out") == 7


def test_a_pattern_reads_the_inputs_that_match_it() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*"), Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    job = plan_job(builder.build(), CONFIG, {"in-1": 1, "in-2": 2}, {})
    assert [stage.topics() for stage in job.stages] == [["in-1", "in-2"]]


def test_global_tables_without_a_reader_are_a_stage_too() -> None:
    builder = StreamsBuilder()
    builder.global_table("names", Consumed(TEXT, TEXT))
    [stage] = plan(builder.build(), names=2).stages
    assert (stage.name, stage.topics(), stage.spark_partitions) == ("global tables", [], 1)


def test_a_topic_that_is_not_given_is_refused() -> None:
    with pytest.raises(StreamsError) as refused:
        plan(joined_streams(), stream=1)
    assert str(refused.value) == (
        "the topology reads 'table', which the inputs do not have; pass a DataFrame for each "
        "topic: inputs={'table': frame, ...}"
    )


def test_an_input_that_is_not_read_is_refused() -> None:
    with pytest.raises(StreamsError) as refused:
        plan(chain(), a=1, b=1)
    assert str(refused.value) == (
        "the inputs have 'b', which the topology does not read; it reads 'a'; leave the others out"
    )


def test_an_input_that_is_also_written_is_refused() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(TEXT, TEXT)).to("b", Produced(TEXT, TEXT))
    builder.stream("b", Consumed(TEXT, TEXT)).to("c", Produced(TEXT, TEXT))
    with pytest.raises(StreamsError) as refused:
        plan(builder.build(), a=1, b=1)
    assert str(refused.value) == (
        "topic 'b' is written by the topology itself, so what it holds is known when the run is "
        "over, not before; leave it out of the inputs"
    )


def test_inputs_that_are_joined_must_have_the_same_number_of_partitions() -> None:
    with pytest.raises(StreamsError, match="'stream' has 2, 'table' has 3"):
        plan(joined_streams(), stream=2, table=3)


def written_once(before: Callable[[KStream[str, str]], KStream[str, str]]) -> JobPlan:
    once: Any = write_once(Database("sqlite::memory:"), lambda *_: None, name="orders")
    builder = StreamsBuilder()
    builder.stream("b", Consumed(TEXT, TEXT)).to("out")
    before(builder.stream("a", Consumed(TEXT, TEXT))).process_values(once).to("out")
    return plan(builder.build(), a=2, b=2)


def plans_of(job: JobPlan) -> list[SubtopologyPlan]:
    return [one for stage in job.stages for one in stage.plans]


def test_write_once_needs_the_offsets_of_the_topics_above_it() -> None:
    plans = plans_of(written_once(lambda stream: stream.filter(lambda key, value: True)))
    assert topics_of_marks(plans, ["a"]) == {"a"}
    with pytest.raises(
        StreamsError, match=r"write_once\(name='orders'\) .* those of 'a' have none"
    ):
        topics_of_marks(plans, ["b"])
    assert topics_of_marks(plans_of(plan(chain(), a=3)), []) == frozenset()


def test_write_once_behind_a_repartitioning_is_refused_as_the_run_numbers_its_records() -> None:
    plans = plans_of(written_once(lambda stream: stream.repartition(Repartitioned("r"))))
    with pytest.raises(StreamsError, match="those of 'app-r-repartition' have none of their own"):
        topics_of_marks(plans, ["a", "b"])
