"""Members of another program or plan are told apart, and named."""

from __future__ import annotations

from penstock._engine.kafka.client.groups import GroupMember
from penstock._engine.kafka.worker.agreement import incompatible_members, refusal
from penstock._engine.planner.identity import Identity

OWN = Identity("aaaaaaaa", "11111111")
OTHER_PLAN = Identity("aaaaaaaa", "22222222")
OTHER_PROGRAM = Identity("bbbbbbbb", "11111111")


def member(identity: Identity | None, instance: str = "m", host: str = "10.0.0.1") -> GroupMember:
    client_id = "app-group" if identity is None else identity.shown_in("app-group")
    return GroupMember(client_id, instance, host)


def test_members_like_us_are_no_strangers() -> None:
    assert incompatible_members([member(OWN), member(OWN, "n")], OWN, set()) == []


def test_another_program_another_plan_and_one_that_shows_nothing_are_strangers() -> None:
    others = [member(OTHER_PLAN), member(OTHER_PROGRAM), member(None)]
    assert incompatible_members([member(OWN), *others], OWN, set()) == others


def test_the_dead_are_no_strangers() -> None:
    assert incompatible_members([member(OTHER_PROGRAM, "dead")], OWN, {"dead"}) == []


def test_another_program_is_refused_with_its_hosts_and_what_to_do() -> None:
    others = [member(OTHER_PROGRAM, "m", "b"), member(OTHER_PLAN, "n", "a")]
    assert refusal("app", others, OWN) == (
        "application 'app' is run by another program: 2 members of its group, on a, b, run a "
        "topology of another shape; stop it first, or give this one another 'application.id'"
    )


def test_the_same_program_with_an_old_count_of_partitions_is_told_apart() -> None:
    assert "still have an old count of partitions" in refusal("app", [member(OTHER_PLAN)], OWN)
