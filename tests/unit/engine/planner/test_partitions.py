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


class TestCircles:
    """A foreign-key join: the left side reads answers, the right side subscriptions."""

    FLOWS = (flow("left answers", "subscriptions out"), flow("right subscriptions", "answers"))
    GROUPS = (frozenset({"left", "answers"}), frozenset({"right", "subscriptions"}))

    def test_each_topic_of_a_foreign_key_join_follows_the_table_it_is_read_with(self) -> None:
        counts = decide_partition_counts(
            {"left": 2, "right": 5},
            {"subscriptions": None, "answers": None},
            self.FLOWS,
            self.GROUPS,
        )
        assert counts == {"left": 2, "right": 5, "subscriptions": 5, "answers": 2}

    def test_what_is_below_the_join_has_the_most_partitions_of_both_tables_as_in_java(self) -> None:
        counts = decide_partition_counts(
            {"left": 2, "right": 5},
            {"subscriptions": None, "answers": None, "groups": None},
            [flow("left answers", "subscriptions groups"), self.FLOWS[1], flow("groups", "out")],
            self.GROUPS,
        )
        assert counts["groups"] == 5
        assert counts["answers"] == 2

    def test_a_right_table_behind_a_topic_of_ours_is_decided_one_by_one(self) -> None:
        counts = decide_partition_counts(
            {"left": 8, "in": 3},
            {"rekeyed": None, "subscriptions": None, "answers": None},
            [self.FLOWS[0], flow("in", "rekeyed"), flow("rekeyed subscriptions", "answers")],
            [self.GROUPS[0], frozenset({"rekeyed", "subscriptions"})],
        )
        assert counts == {
            "left": 8,
            "in": 3,
            "rekeyed": 8,
            "subscriptions": 8,
            "answers": 8,
        }


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

    def test_joins_that_share_a_topic_must_all_agree(self) -> None:
        """The first join ties `r` to `a`; the second must not widen it again."""
        counts = decide_partition_counts(
            {"a": 2, "wide": 6},
            {"r": None, "s": None},
            [flow("a", "r"), flow("wide", "s")],
            [frozenset({"a", "r"}), frozenset({"r", "s"})],
        )
        assert (counts["r"], counts["s"]) == (2, 2)

    def test_a_difference_across_a_chain_of_joins_is_an_error(self) -> None:
        groups = [frozenset({"a", "r"}), frozenset({"b", "s"}), frozenset({"r", "s"})]
        with pytest.raises(StreamsError, match=r"'a' has 2, 'b' has 6"):
            decide_partition_counts(
                {"a": 2, "b": 6},
                {"r": None, "s": None},
                [flow("a", "r"), flow("b", "s")],
                groups,
            )

    def test_a_group_of_nothing_is_no_matter(self) -> None:
        assert decide_partition_counts({"a": 2}, {}, [], [frozenset()]) == {"a": 2}
