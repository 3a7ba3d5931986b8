"""How many partitions each topic has: semantics 5.1 and 7.3."""

from __future__ import annotations

import pytest

from penstock._engine.planner.partitions import TopicFlow, decide_partition_counts
from penstock.errors import StreamsError


def flow(reads: str, writes: str) -> TopicFlow:
    return TopicFlow(tuple(reads.split()), tuple(writes.split()))


class TestRepartitionTopics:
    def test_it_has_the_most_partitions_of_the_inputs_that_feed_it(self) -> None:
        counts = decide_partition_counts(
            {"a": 2, "b": 5, "c": 9}, {"r": None}, [flow("a b", "r"), flow("c", "out")], []
        )
        assert counts == {"a": 2, "b": 5, "c": 9, "r": 5}

    def test_every_sub_topology_that_writes_to_it_counts(self) -> None:
        counts = decide_partition_counts(
            {"a": 2, "b": 5}, {"r": None}, [flow("a", "r"), flow("b", "r")], []
        )
        assert counts["r"] == 5

    def test_the_users_count_goes_before_what_its_inputs_have(self) -> None:
        assert decide_partition_counts({"a": 2}, {"r": 7}, [flow("a", "r")], [])["r"] == 7

    def test_a_chain_is_decided_from_its_beginning(self) -> None:
        flows = [flow("r2", "r3"), flow("r1", "r2"), flow("a", "r1")]
        counts = decide_partition_counts({"a": 3}, {"r3": None, "r2": None, "r1": None}, flows, [])
        assert counts == {"a": 3, "r1": 3, "r2": 3, "r3": 3}

    def test_a_topic_that_nothing_feeds_is_an_error(self) -> None:
        with pytest.raises(StreamsError, match=r"^cannot tell how many partitions r1, r2 should"):
            decide_partition_counts(
                {}, {"r1": None, "r2": None}, [flow("r1", "r2"), flow("r2", "r1")], []
            )


class TestCopartitioning:
    def test_equal_counts_are_left_alone(self) -> None:
        known = {"a": 4, "b": 4}
        assert decide_partition_counts(known, {}, [], [frozenset(known)]) == known

    def test_a_difference_names_the_topics_their_counts_and_the_way_out(self) -> None:
        known = {"orders": 4, "customers": 3}
        with pytest.raises(StreamsError) as caught:
            decide_partition_counts(known, {}, [], [frozenset(known)])
        assert str(caught.value) == (
            "topics that are joined must have the same number of partitions; 'customers' has 3, "
            "'orders' has 4; repartition one of the streams: "
            "stream.repartition(Repartitioned(partitions=...))"
        )

    def test_a_repartition_topic_follows_the_users_topic(self) -> None:
        counts = decide_partition_counts(
            {"a": 2, "b": 6}, {"r": None}, [flow("a", "r")], [frozenset({"r", "b"})]
        )
        assert counts["r"] == 6

    def test_repartition_topics_alone_follow_the_widest(self) -> None:
        counts = decide_partition_counts(
            {"a": 2, "b": 6},
            {"r1": None, "r2": None},
            [flow("a", "r1"), flow("b", "r2")],
            [frozenset({"r1", "r2"})],
        )
        assert (counts["r1"], counts["r2"]) == (6, 6)

    def test_a_repartition_topic_follows_another_with_a_count_of_the_users(self) -> None:
        counts = decide_partition_counts(
            {"a": 9, "b": 6},
            {"r1": None, "r2": 3},
            [flow("a", "r1"), flow("b", "r2")],
            [frozenset({"r1", "r2"})],
        )
        assert (counts["r1"], counts["r2"]) == (3, 3)

    def test_a_count_of_the_users_that_disagrees_with_a_topic_is_an_error(self) -> None:
        with pytest.raises(StreamsError, match=r"'b' has 6, 'r' has 3"):
            decide_partition_counts(
                {"a": 2, "b": 6}, {"r": 3}, [flow("a", "r")], [frozenset({"r", "b"})]
            )
