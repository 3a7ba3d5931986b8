"""Marks of committed offsets: when they are written, and which lost offsets are refused by them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError
from confluent_kafka.admin import AdminClient

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._clock import ManualClock
from penstock._engine.kafka.application import task_records
from penstock._engine.kafka.client.client_errors import BrokerAway, BrokerSilent
from penstock._engine.kafka.worker.offset_marks import OffsetMark, OffsetMarks
from penstock._engine.planner import blueprint as blueprint_module
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


def test_a_worker_that_fails_while_the_brokers_are_away_writes_no_mark(stage: Stage) -> None:
    """The driver heard of the failure when a whole transaction had been waited for."""
    stage.run(0)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.step_and_commit()
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.kafka.refusals.append(BrokerSilent("no answer"))
    stage.step_and_commit()
    stage.step_and_commit()
    assert stage.kafka.committed[MARKED][0] == 3
    stage.worker.abandon()
    stage.is_open = False
    assert marked(stage) == {"offset:0:in": (2, False)}


def test_a_worker_that_fails_before_its_first_commit_leaves_none(stage: Stage) -> None:
    stage.run(0)
    stage.worker.abandon()
    stage.is_open = False
    assert marked(stage) == {}


def refused(blueprint: Blueprint, found: dict[Partition, OffsetMark], *missing: Partition) -> str:
    """Return why it is refused to begin on these partitions, nothing if it is not."""
    marks = OffsetMarks(blueprint, lambda tasks: found, ManualClock(1))
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
    # Also where the state is not behind the offsets at all.
    assert "if the program reads the topic again with new stores" in said
    assert "partition 0, 1;" in refused(blueprint, {at: mark() for at in places}, *places)
    assert refused(blueprint, {MARKED: mark()}, ("in", 1)) == ""
    assert refused(blueprint, {MARKED: mark(topic_id="id-0")}, *places) == ""
    assert refused(blueprint, {}, *places) == ""


def test_the_whole_task_topic_is_read_once_and_only_if_its_own_partitions_have_no_mark(
    tmp_path: Path,
) -> None:
    """Each move of a task with an empty input read all of it, on the thread of running tasks."""
    blueprint = replace(count_by_key(tmp_path), topic_ids=IDS)
    asked: list[Collection[int] | None] = []
    found: dict[int, dict[Partition, OffsetMark]] = {0: {}, 1: {}, 2: {}}

    def read(tasks: Collection[int] | None) -> dict[Partition, OffsetMark]:
        asked.append(tasks)
        chosen = found if tasks is None else tasks
        return {at: kept for task in chosen for at, kept in found[task].items()}

    marks = OffsetMarks(blueprint, read, ManualClock(1))
    marks.refuse_lost([MARKED])
    marks.refuse_lost([("in", 1)])
    assert asked == [{0}, None, {1}]
    # As after `--delete-offsets`, while it runs.
    found[0][MARKED] = mark()
    with pytest.raises(StreamsError, match="partition 0;"):
        marks.refuse_lost([MARKED])
    # Another program had the partition in another task.
    found[0], found[2] = {}, {MARKED: mark()}
    with pytest.raises(StreamsError, match="partition 0;"):
        OffsetMarks(blueprint, read, ManualClock(1)).refuse_lost([MARKED])


def test_a_worker_waits_for_marks_that_cannot_be_read_now(stage: Stage) -> None:
    """It ended, though `task.timeout.ms` was far away."""
    stage.kafka.marks_are_away = 2
    stage.run(0)
    assert "renew inputs" in stage.kafka.take_events()
    stage.worker.step()
    stage.worker.step()
    stage.step_and_commit()
    assert stage.kafka.committed[MARKED][0] == 2


class Silent:
    """A consumer whose broker does not answer, or refuses."""

    def __init__(self, code: int) -> None:
        self._code = code

    def assign(self, _partitions: object) -> None: ...

    def close(self) -> None: ...

    def poll(self, _seconds: float) -> object:
        return SimpleNamespace(error=lambda: KafkaError(self._code), partition=lambda: 0)


@pytest.mark.parametrize(
    ("code", "waits"),
    [
        (KafkaError._TRANSPORT, True),
        (KafkaError._ALL_BROKERS_DOWN, True),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, False),
    ],
)
def test_only_a_task_topic_that_is_refused_cannot_be_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, waits: bool
) -> None:
    monkeypatch.setattr(task_records, "_SECONDS", 0.05)
    monkeypatch.setattr(task_records, "Consumer", lambda _settings: Silent(code))
    monkeypatch.setattr(task_records, "end_offsets", lambda _admin, asked: dict.fromkeys(asked, 1))
    config = count_by_key(tmp_path).config
    with pytest.raises(StreamsError, match="task topic 'tasks' cannot be read") as error:
        task_records.read_task_records(config, cast("AdminClient", None), "tasks", [0])
    assert isinstance(error.value, BrokerAway) is waits


def test_many_partitions_are_counted(tmp_path: Path) -> None:
    planned = count_by_key(tmp_path)
    places = [("in", number) for number in range(9)]
    task = replace(planned.tasks[0], inputs=tuple(places))
    blueprint = replace(planned, topic_ids=IDS, tasks=(task,))
    said = refused(blueprint, {at: mark() for at in places}, *places)
    assert "topic 'in', partition 0, 1, 2, 3, 4 and 4 more; the state" in said


def test_without_state_there_are_no_marks_and_none_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.stream("in", Consumed(text, text)).to("out", Produced(text, text))
    counting = count_by_key(tmp_path)
    layout = lay_out(draft_of(builder.build(), "app"), {"in": 2}, counting.config)
    blueprint = replace(counting, tasks=layout.tasks, topic_ids=IDS)
    assert refused(blueprint, {MARKED: mark()}, MARKED) == ""
    looks: list[object] = []
    monkeypatch.setattr(blueprint_module, "keeps_state", looks.append)
    marks = OffsetMarks(blueprint, lambda tasks: {}, ManualClock(1))
    # All stores are looked at: with each partition it took seconds.
    assert looks == [blueprint.tasks]
    offsets = {MARKED: CommitOffset(1, "")}
    assert marks.outputs(offsets, due=True, stops=True) == []
