"""From sub-topologies to tasks."""

from __future__ import annotations

import re

from penstock import Repartitioned, StreamsBuilder, Topology
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks, resolve_patterns


def two_steps() -> Topology:
    builder = StreamsBuilder()
    merged = builder.stream("a").merge(builder.stream("b"))
    merged.repartition(Repartitioned(name="r")).to("out")
    return builder.build()


def test_there_is_a_task_for_each_partition_of_the_widest_input() -> None:
    plans = plan_subtopologies(two_steps(), "app")
    tasks = plan_tasks(plans, {"a": 2, "b": 1, "app-r-repartition": 1})
    assert {task.id: task.inputs for task in tasks} == {
        "0_0": (("a", 0), ("b", 0)),
        "0_1": (("a", 1),),
        "1_0": (("app-r-repartition", 0),),
    }


def test_a_stretch_of_tasks_holds_some_of_every_sub_topology() -> None:
    plans = plan_subtopologies(two_steps(), "app")
    tasks = plan_tasks(plans, {"a": 2, "b": 2, "app-r-repartition": 3})
    assert [task.id for task in tasks] == ["0_0", "1_0", "0_1", "1_1", "1_2"]
    assert [task.partition for task in tasks] == [0, 0, 1, 1, 2]


def test_a_pattern_becomes_the_topics_that_match_all_of_it_now() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*")).to("out")
    (plan,) = plan_subtopologies(builder.build(), "app")
    resolved = resolve_patterns(plan, ["out", "in-2", "in-1", "not-in-3"])
    assert resolved.source_topics() == ["in-1", "in-2"]
    tasks = plan_tasks([resolved], {"in-1": 1, "in-2": 2})
    assert [task.inputs for task in tasks] == [(("in-1", 0), ("in-2", 0)), (("in-2", 1),)]


def test_a_pattern_that_matches_nothing_has_no_tasks() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*")).to("out")
    (plan,) = plan_subtopologies(builder.build(), "app")
    assert plan_tasks([resolve_patterns(plan, ["out"])], {}) == []


def test_topics_read_by_name_are_left_alone() -> None:
    (plan, _) = plan_subtopologies(two_steps(), "app")
    assert resolve_patterns(plan, ["x"]) == plan
