"""What a reset would change."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.planner.internal_topics import NamedTopics
from penstock._engine.planner.reset import (
    Facts,
    Member,
    OffsetChange,
    ResetRequest,
    Target,
    check_not_running,
    decide_reset,
)
from penstock.errors import StreamsError

IN0, IN1, BACK = ("in", 0), ("in", 1), ("back", 0)
FACTS = Facts(
    topics=frozenset({"in", "back", "out", "app-counts-changelog", "app-penstock-tasks", "app-x"}),
    committed={IN0: 50, BACK: 3, ("app-r-repartition", 0): 9},
    beginnings={IN0: 10, IN1: 0, BACK: 0},
    ends={IN0: 100, IN1: 20, BACK: 7},
    at_time={IN0: 70},
    local_tasks=("0_0",),
    local_path="/state/app",
)


def offsets(target: Target, **more: Any) -> list[tuple[str, int, int | None, int]]:
    wish = ResetRequest("app", inputs=("in",), target=target, **more)
    return [
        (change.topic, change.partition, change.before, change.after)
        for change in decide_reset(wish, FACTS).offsets
    ]


@pytest.mark.parametrize(
    ("target", "first", "second"),
    [
        (Target(), 10, 0),
        (Target(latest=True), 100, 20),
        (Target(offset=15), 15, 15),
        (Target(offset=90), 90, 20),
        (Target(shift=-5), 45, 0),
        (Target(shift=5), 55, 5),
        (Target(shift=-1000), 10, 0),
        (Target(time_ms=1), 70, 20),
    ],
    ids=str,
)
def test_inputs_are_put_where_the_user_wants_them(target: Target, first: int, second: int) -> None:
    assert offsets(target) == [("in", 0, 50, first), ("in", 1, None, second)]


def test_partitions_that_a_file_does_not_name_stay() -> None:
    assert offsets(Target(each={IN1: 4})) == [("in", 1, None, 4)]


def test_an_offset_outside_the_topic_is_brought_inside_and_told() -> None:
    plan = decide_reset(ResetRequest("app", ("in",), target=Target(offset=90)), FACTS)
    assert plan.notes == ("in partition 1 has the offsets 0 to 20: 20 instead of 90",)


def test_topics_of_its_own_are_skipped_to_their_ends() -> None:
    assert offsets(Target(), intermediate=("back",))[-1] == ("back", 0, 3, 7)


def test_without_a_program_the_group_tells_the_inputs() -> None:
    plan = decide_reset(ResetRequest("app"), FACTS)
    assert plan.offsets == (
        OffsetChange("back", 0, 3, 0),
        OffsetChange("in", 0, 50, 10),
        OffsetChange("in", 1, None, 0),
    )


def test_internal_topics_and_local_state_go() -> None:
    plan = decide_reset(ResetRequest("app", ("in",)), FACTS)
    assert plan.delete_topics == ("app-counts-changelog", "app-penstock-tasks")
    assert (plan.delete_local, plan.local_path) == (("0_0",), "/state/app")
    assert not plan.is_empty


def test_some_internal_topics_only() -> None:
    plan = decide_reset(ResetRequest("app", ("in",), internal=("app-counts-changelog",)), FACTS)
    assert plan.delete_topics == ("app-counts-changelog",)


def test_a_topic_of_the_user_s_is_never_deleted() -> None:
    with pytest.raises(StreamsError, match="not internal topics of application 'app': out; those"):
        decide_reset(ResetRequest("app", ("in",), internal=("out",)), FACTS)


def on(topics: set[str], *read: str) -> Facts:
    places = {(topic, 0): 0 for topic in read}
    return Facts(frozenset(topics), committed=places, beginnings=places, ends=places)


def test_the_program_s_own_topics_are_not_deleted_whatever_their_names() -> None:
    mine = {"shop-prices-changelog", "shop-labels-repartition", "shop-bad-changelog"}
    named = NamedTopics(frozenset(mine), frozenset({"shop-counts-changelog"}))
    facts = on({*mine, "shop-counts-changelog", "shop-old-changelog"})
    plan = decide_reset(ResetRequest("shop", ("shop-prices-changelog",), named=named), facts)
    assert plan.delete_topics == ("shop-counts-changelog", "shop-old-changelog")
    with pytest.raises(StreamsError, match="not internal topics of application 'shop': shop-bad"):
        decide_reset(ResetRequest("shop", (), internal=("shop-bad-changelog",), named=named), facts)


def test_topics_that_the_user_names_are_not_deleted_either() -> None:
    request = ResetRequest("app", ("app-in-changelog", "gone"), ("app-back-repartition",))
    facts = on({"app-in-changelog", "app-back-repartition", "app-x-changelog"})
    assert decide_reset(request, facts).delete_topics == ("app-x-changelog",)


def test_a_changelog_that_the_group_reads_is_an_input_and_not_deleted() -> None:
    """A program is not needed to know it: no group commits offsets of its own changelogs."""
    facts = on({"app-in-changelog", "app-r-repartition"}, "app-in-changelog", "app-r-repartition")
    plan = decide_reset(ResetRequest("app"), facts)
    assert [change.topic for change in plan.offsets] == ["app-in-changelog"]
    assert plan.delete_topics == ("app-r-repartition",)


def test_topics_of_an_application_with_a_longer_name_are_left_alone() -> None:
    others = {"shop-eu-counts-changelog", "shop-eu-by-word-repartition", "shop-eu-penstock-tasks"}
    facts = on({*others, "shop-eu-it-penstock-tasks", "shop-penstock-tasks", "shop-x-changelog"})
    plan = decide_reset(ResetRequest("shop"), facts)
    assert plan.delete_topics == ("shop-penstock-tasks", "shop-x-changelog")
    left = "left alone, for application {!r} has a task topic and they bear its name: {}".format
    assert plan.notes == (
        left("shop-eu", ", ".join(sorted(others))),
        left("shop-eu-it", "shop-eu-it-penstock-tasks"),
    )
    with pytest.raises(StreamsError, match="not internal topics"):
        decide_reset(ResetRequest("shop", internal=("shop-eu-counts-changelog",)), facts)


def test_a_repartition_topic_that_the_group_reads_is_no_input_whatever_its_owner() -> None:
    """It may be `shop`'s own, named `eu-x`, beside an application `shop-eu`."""
    read = "shop-eu-x-repartition"
    facts = on({"in", read, "shop-eu-penstock-tasks"}, "in", read)
    plan = decide_reset(ResetRequest("shop"), facts)
    assert [change.topic for change in plan.offsets] == ["in"]
    assert plan.delete_topics == ()
    assert read in plan.notes[0]


def test_a_topic_that_the_program_makes_is_its_own_even_if_another_might_have_made_it() -> None:
    facts = on({"shop-eu-counts-changelog", "shop-eu-penstock-tasks"})
    named = NamedTopics(internal=frozenset({"shop-eu-counts-changelog"}))
    plan = decide_reset(ResetRequest("shop", (), named=named), facts)
    assert plan.delete_topics == ("shop-eu-counts-changelog",)


def test_topics_that_are_not_there_are_told() -> None:
    plan = decide_reset(ResetRequest("app", ("in", "gone")), FACTS)
    assert plan.notes == ("not there, and left alone: gone",)


def test_offsets_of_other_topics_are_refused() -> None:
    with pytest.raises(StreamsError, match="of out, which is not among the inputs: in"):
        offsets(Target(each={("out", 0): 4}))


def test_nothing_to_do() -> None:
    there = Facts(frozenset({"in"}), committed={IN0: 0}, beginnings={IN0: 0}, ends={IN0: 5})
    assert decide_reset(ResetRequest("app", ("in",)), there).is_empty


def test_an_application_that_runs_is_refused() -> None:
    check_not_running("app", [])
    with pytest.raises(StreamsError) as caught:
        check_not_running("app", [Member("app-group", "10.0.0.1"), Member("b", "10.0.0.2")])
    assert str(caught.value) == (
        "application 'app' must not run while it is reset; its group has 2 members: app-group on "
        "10.0.0.1; b on 10.0.0.2; stop all instances; of one that crashed, members stay until "
        "session.timeout.ms (45 s unless set) is over: wait for them with --wait 60"
    )
