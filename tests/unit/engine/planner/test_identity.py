"""Programs of the same shape have the same identity, whatever their functions do."""

from __future__ import annotations

import re
from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock._engine.planner.identity import NO_IDENTITY, Identity, identity_of, read_identity
from penstock._engine.planner.layout import draft_of, lay_out
from penstock.settings import StreamsConfig

CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "nowhere:1"})


def program(build: Callable[[StreamsBuilder], object]) -> Topology:
    builder = StreamsBuilder()
    build(builder)
    return builder.build()


def identity(topology: Topology, partitions: int = 2) -> Identity:
    draft = draft_of(topology, "app")
    if draft.has_patterns:
        draft = draft.resolved(["in-1", "in-2"][:partitions])
    counts = dict.fromkeys(draft.topics_to_count, partitions)
    return identity_of(draft.plans, lay_out(draft, counts, CONFIG).tasks)


def test_functions_are_no_part_of_it() -> None:
    one = program(lambda builder: builder.stream("in").map_values(lambda v: v).to("out"))
    other = program(lambda builder: builder.stream("in").map_values(lambda v: 2 * v).to("out"))
    assert identity(one) == identity(other)


def test_verbs_and_topics_are_part_of_it() -> None:
    programs = [
        program(lambda builder: builder.stream("in").map_values(lambda v: v).to("out")),
        program(lambda builder: builder.stream("in").filter(lambda k, v: True).to("out")),
        program(lambda builder: builder.stream("in").map_values(lambda v: v).to("elsewhere")),
        program(lambda builder: builder.stream("other").map_values(lambda v: v).to("out")),
        program(lambda builder: builder.stream("in").map_values(lambda v: v).to(lambda *_: "out")),
    ]
    assert len({identity(topology).program for topology in programs}) == len(programs)


def test_partitions_are_part_of_the_plan_only() -> None:
    topology = program(lambda builder: builder.stream("in").to("out"))
    two, three = identity(topology, 2), identity(topology, 3)
    assert two.program == three.program
    assert two.plan != three.plan


def test_what_a_pattern_matches_is_part_of_the_plan_only() -> None:
    topology = program(lambda builder: builder.stream(re.compile("in-.*")).to("out"))
    one, both = identity(topology, 1), identity(topology, 2)
    assert one.program == both.program
    assert one.plan != both.plan


def test_a_client_id_shows_it() -> None:
    own = identity(program(lambda builder: builder.stream("in").to("out")))
    assert read_identity(own.shown_in("app-group")) == own
    assert read_identity("app-group") is None
    assert NO_IDENTITY.program == ""
