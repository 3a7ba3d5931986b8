"""Where the outputs of a task go: topics and partitions, and back to the tasks of a cycle."""

from __future__ import annotations

import pytest

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.planner.stages import plan_job
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import Output
from penstock._engine.spark.batch.schemas import CHANGELOG, RECORD
from penstock._engine.spark.batch.tasks.output_router import OutputRouter
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from tests.unit.engine.spark.batch.tasks.test_rows import opened

TEXT = serdes.string()
CONFIG = StreamsConfig({"application.id": "app"})
NOW = 1234


def counted() -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("in", Consumed(TEXT, TEXT)).group_by_key(Grouped("g", TEXT, TEXT))
    counts.count(Materialized("counts", TEXT)).to_stream().to("out")
    return builder.build()


def test_a_record_goes_to_the_partition_of_its_key() -> None:
    job = plan_job(counted(), CONFIG, {"in": 5}, {})
    [stage] = job.stages
    router = OutputRouter(job, stage, 3, NOW, False)
    keys = (b"a", b"b", None, b"a")
    outputs: list[Output] = [("out", None, key, b"v", 7, ()) for key in keys]
    assert router.route(stage.tasks[3], [*outputs, ("out", 1, b"c", None, None, ())]) == []
    expected: dict[int, list[tuple[bytes | None, int]]] = {3: [(None, 7)], 1: [(b"c", NOW)]}
    for key in (b"a", b"b", b"a"):
        expected.setdefault(partition_of(key, 5), []).append((key, 7))
    found = {
        run["partition"]: [(row["key"], row["timestamp"]) for row in rows]
        for run, rows in opened(router.rows.take())
    }
    assert {place: sorted(rows, key=str) for place, rows in found.items()} == {
        place: sorted(rows, key=str) for place, rows in expected.items()
    }


def test_changelog_records_are_kept_only_where_they_are_wanted() -> None:
    job = plan_job(counted(), CONFIG, {"in": 1}, {})
    [stage] = job.stages
    kinds = []
    for wanted in (False, True):
        router = OutputRouter(job, stage, 0, NOW, wanted)
        changelog: Output = ("app-counts-changelog", 0, b"a", b"1", 7, ())
        router.route(stage.tasks[0], [changelog, ("out", 0, b"a", b"1", 7, ())])
        kinds.append([row["kind"] for row in router.rows.take().to_pylist()])
    assert kinds == [[RECORD], [CHANGELOG, RECORD]]


def test_what_a_cycle_reads_itself_comes_back_with_its_offset() -> None:
    builder = StreamsBuilder()
    left = builder.table("left", Consumed(TEXT, TEXT))
    right = builder.table("right", Consumed(TEXT, TEXT))
    joined = left.join(right, lambda value: value, lambda one, other: one + other)
    joined.to_stream().to("out", Produced(TEXT, TEXT))
    job = plan_job(builder.build(), CONFIG, {"left": 2, "right": 2}, {})
    [stage] = job.stages
    router = OutputRouter(job, stage, 0, NOW, False)
    [topic, *_] = [topic for topic in stage.topics() if router.loops_back(topic)]
    back = router.route(stage.tasks[0], [(topic, 1, b"k", b"v", 7, ())] * 2)
    assert back == [((topic, 1), (0, 7, b"k", b"v", ())), ((topic, 1), (1, 7, b"k", b"v", ()))]
    assert router.rows.take().num_rows == 0


def test_dead_letters_into_a_topic_between_stages_are_told_where_to_go() -> None:
    """They were told to be written with to(), which nobody does with a dead letter."""
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).to("dead", Produced(TEXT, TEXT))
    builder.stream("dead", Consumed(TEXT, TEXT)).to("seen", Produced(TEXT, TEXT))
    builder.stream("other", Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    job = plan_job(builder.build(), CONFIG, {"in": 1, "other": 1}, {})
    [stage] = [stage for stage in job.stages if "other" in stage.topics()]
    router = OutputRouter(job, stage, 0, NOW, False)
    with pytest.raises(StreamsError) as caught:
        router.route(stage.tasks[0], [("dead", 0, b"k", b"bad", 7, ())])
    assert str(caught.value) == (
        "a record was sent to topic 'dead', which the topology reads, and the order of the stages "
        "does not allow for it, as no sink of this stage names the topic; write what the topology "
        "reads with to() and the name of the topic, and send dead letters to a topic that the "
        "topology does not read"
    )


def test_a_partition_that_the_topic_does_not_have_is_no_other() -> None:
    job = plan_job(counted(), CONFIG, {"in": 2}, {})
    [stage] = job.stages
    router = OutputRouter(job, stage, 0, NOW, False)
    partitions = (-1, 1, 7, 1, -1)
    router.route(stage.tasks[0], [("out", one, b"k", None, 7, ()) for one in partitions])
    found = {run["partition"]: len(rows) for run, rows in opened(router.rows.take())}
    assert found == {-1: 2, 1: 2, 7: 1}
