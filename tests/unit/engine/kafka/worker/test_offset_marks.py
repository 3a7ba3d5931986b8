"""Marks of committed offsets: when they are written, and which lost offsets are refused by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._clock import ManualClock
from penstock._engine.kafka.worker.offset_marks import OffsetMark, OffsetMarks
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.layout import draft_of, lay_out
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.commit import CommitOffset
from penstock.errors import StreamsError
from tests.unit.engine.kafka.worker.stage import Stage, count_by_key

HOUR_MS = 3_600_000
IDS = {"in": "id-1"}
MARKED: Partition = ("in", 0)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage with two records in the first partition, and one in the second."""
    made = Stage(tmp_path)
    made.kafka.write("in", 0, ("a", "x"), ("a", "y"))
    made.kafka.write("in", 1, ("b", "z"))
    yield made
    if made.is_open:
        made.worker.abandon()
    made.host.close()


def marked(stage: Stage) -> dict[str, tuple[int, bool]]:
    """Return offset and whether it was the last commit, by key."""
    return {
        key.decode(): (mark["offset"], mark["stopped"])
        for (_, _, key), value in stage.kafka.marks.items()
        for mark in (json.loads(value),)
    }


def test_the_first_commit_of_a_partition_leaves_a_mark_and_no_other_does(stage: Stage) -> None:
    stage.run(0, 1)
    assert marked(stage) == {}
    stage.step_and_commit()
    assert {(topic, number) for topic, number, _ in stage.kafka.marks} == {
        ("app-penstock-tasks", 0),
        ("app-penstock-tasks", 1),
    }
    assert marked(stage) == {"offset:0:in": (2, False), "offset:1:in": (1, False)}
    stage.kafka.write("in", 0, ("a", "x"))
    stage.step_and_commit()
    stage.step_and_commit()
    assert stage.kafka.committed[MARKED][0] == 3
    assert marked(stage)["offset:0:in"] == (2, False)


def test_a_commit_that_fails_leaves_none_and_the_next_one_does(stage: Stage) -> None:
    stage.run(0)
    stage.kafka.refusals.append(StreamsError("refused"))
    stage.clock.advance(100)
    with pytest.raises(StreamsError, match="refused"):
        stage.worker.step()
    assert marked(stage) == {}
    stage.step_and_commit()
    assert marked(stage) == {"offset:0:in": (2, False)}


def test_marks_that_could_not_be_written_go_with_the_next_commit(stage: Stage) -> None:
    stage.run(0, 1)
    stage.kafka.refuses_marks = True
    stage.step_and_commit()
    assert stage.kafka.committed[MARKED][0] == 2
    assert marked(stage) == {}
    stage.kafka.refuses_marks = False
    stage.kafka.write("in", 0, ("a", "x"))
    stage.step_and_commit()
    stage.step_and_commit()
    assert marked(stage) == {"offset:0:in": (3, False), "offset:1:in": (1, False)}
    stage.kafka.write("in", 0, ("a", "x"))
    stage.step_and_commit()
    stage.step_and_commit()
    assert marked(stage)["offset:0:in"] == (3, False)


def test_marks_are_renewed_each_hour_and_when_the_worker_stops(stage: Stage) -> None:
    stage.run(0, 1)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.step_and_commit()
    stage.step_and_commit()
    stage.clock.advance(HOUR_MS)
    stage.worker.step()
    assert marked(stage) == {"offset:0:in": (3, False), "offset:1:in": (1, False)}
    stage.kafka.write("in", 0, ("a", "x"))
    stage.worker.step()
    stage.close()
    assert marked(stage) == {"offset:0:in": (4, True), "offset:1:in": (1, True)}


def test_a_task_that_was_given_away_is_marked_then_and_not_again(stage: Stage) -> None:
    stage.run(0, 1)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.worker.step()
    stage.kafka.membership.revoke(0)
    stage.worker.step()
    assert marked(stage)["offset:0:in"] == (3, False)
    stage.close()
    # Its next owner may have committed more meanwhile.
    assert marked(stage) == {"offset:0:in": (3, False), "offset:1:in": (1, True)}


@pytest.mark.parametrize(
    ("guarantee", "is_last"), [("exactly_once_v2", True), ("at_least_once", False)]
)
def test_a_worker_that_fails_marks_what_it_had_committed(
    tmp_path: Path, guarantee: str, is_last: bool
) -> None:
    """Without transactions the changelogs may have more by then."""
    stage = Stage(tmp_path, **{"processing.guarantee": guarantee})
    stage.kafka.write("in", 0, ("a", "x"))
    stage.run(0)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.step_and_commit()
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.worker.step()
    stage.worker.abandon()
    stage.host.close()
    assert marked(stage) == {"offset:0:in": (2, is_last)}


def test_a_worker_that_fails_before_its_first_commit_leaves_none(stage: Stage) -> None:
    stage.run(0)
    stage.worker.abandon()
    stage.is_open = False
    assert marked(stage) == {}


def refused(blueprint: Blueprint, found: dict[Partition, OffsetMark], *missing: Partition) -> str:
    """Return why it is refused to begin on these partitions, nothing if it is not."""
    marks = OffsetMarks(blueprint, lambda: found, ManualClock(1))
    try:
        marks.refuse_lost(missing)
    except StreamsError as error:
        return str(error)
    return ""


def mark(**differing: Any) -> OffsetMark:
    return replace(OffsetMark(2, "", "id-1", 1, stopped=True), **differing)


def test_only_marked_partitions_of_the_same_topic_are_refused(tmp_path: Path) -> None:
    blueprint = replace(count_by_key(tmp_path), topic_ids=IDS)
    places = [("in", 0), ("in", 1)]
    said = refused(blueprint, {MARKED: mark()}, *places)
    assert "its group no longer has those of topic 'in', partition 0; the state has seen" in said
    assert "partition 0, 1;" in refused(blueprint, {at: mark() for at in places}, *places)
    assert refused(blueprint, {MARKED: mark()}, ("in", 1)) == ""
    assert refused(blueprint, {MARKED: mark(topic_id="id-0")}, *places) == ""
    assert refused(blueprint, {}, *places) == ""


def test_many_partitions_are_counted(tmp_path: Path) -> None:
    planned = count_by_key(tmp_path)
    places = [("in", number) for number in range(9)]
    task = replace(planned.tasks[0], inputs=tuple(places))
    blueprint = replace(planned, topic_ids=IDS, tasks=(task,))
    said = refused(blueprint, {at: mark() for at in places}, *places)
    assert "topic 'in', partition 0, 1, 2, 3, 4 and 4 more; the state" in said


def test_without_state_there_are_no_marks_and_none_is_read(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.stream("in", Consumed(text, text)).to("out", Produced(text, text))
    counting = count_by_key(tmp_path)
    layout = lay_out(draft_of(builder.build(), "app"), {"in": 2}, counting.config)
    blueprint = replace(counting, tasks=layout.tasks, topic_ids=IDS)
    assert refused(blueprint, {MARKED: mark()}, MARKED) == ""
    marks = OffsetMarks(blueprint, dict, ManualClock(1))
    offsets = {MARKED: CommitOffset(1, "")}
    assert marks.outputs(offsets, due=True, stops=True) == []
