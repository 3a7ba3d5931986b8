"""What the join of two streams is made of: names, stores, repartition topics."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    JoinWindows,
    KStream,
    Materialized,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Topology,
    serdes,
)

NEAR = JoinWindows.of_time_difference(10, before=3, after=7, grace=5)


def built(verb: str, option: StreamJoined[Any, Any, Any] | None = None) -> Topology:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left")
    right: KStream[Any, Any] = builder.stream("right")
    getattr(left, verb)(right, lambda one, other: one, NEAR, option).to("out")
    return builder.build()


@pytest.mark.parametrize(
    ("verb", "stores"),
    [
        ("join", ["KSTREAM-JOINTHIS-0000000004-store", "KSTREAM-JOINOTHER-0000000005-store"]),
        (
            "left_join",
            [
                "KSTREAM-JOINTHIS-0000000004-store",
                "KSTREAM-OUTEROTHER-0000000005-store",
                "KSTREAM-OUTERSHARED-0000000004-store",
            ],
        ),
        (
            "outer_join",
            [
                "KSTREAM-OUTERTHIS-0000000004-store",
                "KSTREAM-OUTEROTHER-0000000005-store",
                "KSTREAM-OUTERSHARED-0000000004-store",
            ],
        ),
    ],
)
def test_stores_have_java_s_names(verb: str, stores: list[str]) -> None:
    assert list(built(verb).stores) == stores


def test_stores_of_the_streams_keep_records_as_long_as_they_may_match() -> None:
    store = built("join").stores["KSTREAM-JOINTHIS-0000000004-store"]
    assert store.times is not None
    assert (store.times.window_size_ms, store.times.retention_ms) == (10, 15)
    assert store.times.retain_duplicates
    assert not store.cached
    assert store.changelog_settings == {"cleanup.policy": "delete"}


def test_settings_of_changelogs_are_those_of_all_stores_but_for_what_a_join_needs() -> None:
    option = StreamJoined[Any, Any, Any](store_name="kept", logging={"retention.ms": "9"})
    stores = built("outer_join", option).stores
    assert {name: store.changelog_settings for name, store in stores.items()} == {
        "kept-outer-this-join-store": {"retention.ms": "9", "cleanup.policy": "delete"},
        "kept-outer-other-join-store": {"retention.ms": "9", "cleanup.policy": "delete"},
        "kept-outer-shared-join-store": {"retention.ms": "9"},
    }


def test_without_logging_no_store_has_a_changelog() -> None:
    stores = built("left_join", StreamJoined(logging=False)).stores
    assert not any(store.logged for store in stores.values())


def test_a_reach_of_the_left_is_the_other_way_round_on_the_right() -> None:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left")
    left.outer_join(builder.stream("right"), lambda one, other: one, NEAR)
    join: Any = builder._graph.steps[-1].drawing
    assert (join.this.before_ms, join.this.after_ms) == (3, 7)
    assert (join.other.before_ms, join.other.after_ms) == (7, 3)
    assert (join.this.left_reach_ms, join.this.right_reach_ms) == (7, 3)
    assert (join.other.left_reach_ms, join.other.right_reach_ms) == (7, 3)


def test_a_stream_is_repartitioned_once_for_joins_without_a_name() -> None:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left").select_key(lambda key, value: value)
    right: KStream[Any, Any] = builder.stream("right")
    left.join(right, lambda one, other: one, NEAR)
    left.join(right, lambda one, other: one, NEAR)
    left.join(right, lambda one, other: one, NEAR, StreamJoined(name="named"))
    left.group_by_key().count(Materialized("counts"))
    assert sorted(builder.build().internal_topics) == [
        "KSTREAM-KEY-SELECT-0000000001-repartition",
        "counts-repartition",
        "named-left-repartition",
    ]


def test_what_shares_a_topic_must_be_partitioned_like_it() -> None:
    """Java loses track here: it notes a source that is never built."""
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left").select_key(lambda key, value: value)
    left.join(builder.stream("one"), lambda one, other: one, NEAR)
    left.join(builder.stream("two"), lambda one, other: one, NEAR)
    topology = builder.build()
    shared = [group & set(topology.nodes) for group in topology.copartition_groups]
    assert [len(group) for group in shared] == [2, 2]


def test_a_user_s_own_stores_are_not_among_those_without_a_name() -> None:
    mine = Stores.in_memory_window_store(
        "mine",
        retention=15,
        window_size=10,
        key=serdes.string(),
        value=serdes.string(),
        retain_duplicates=True,
    )
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    option: Any = StreamJoined(key=serdes.bytes(), this_store=mine)
    left.outer_join(builder.stream("right"), lambda one, other: one, NEAR, option)
    assert list(builder._graph.unnamed_stores) == ["KSTREAM-OUTEROTHER-0000000005-store"]
    stores = builder.build().stores
    assert list(stores) == [
        "mine",
        "KSTREAM-OUTEROTHER-0000000005-store",
        "mine-outer-shared-join-store",
    ]
    assert stores["mine"].key == serdes.bytes()


@pytest.mark.parametrize(
    ("said", "own", "warned"),
    [
        (False, True, True),
        (False, False, False),
        (True, False, False),
        ({"min.insync.replicas": "2"}, True, True),
        ({"min.insync.replicas": "2"}, {"min.insync.replicas": "2", "a": "b"}, False),
        ({"min.insync.replicas": "2"}, False, True),
        ({}, True, False),
    ],
)
def test_logging_that_a_given_store_does_not_follow_is_told(
    said: Any, own: Any, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """As in Java, where the changelog of a supplier is not StreamJoined's; there without a word."""
    mine = Stores.in_memory_window_store(
        "mine", retention=15, window_size=10, retain_duplicates=True, logging=own
    )
    topology = built("join", StreamJoined(this_store=mine, logging=said))
    assert topology.stores["mine"].logged is bool(own)
    assert ("store=mine StreamJoined(logging=" in caplog.text) is warned
