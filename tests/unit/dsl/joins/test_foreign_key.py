"""What a foreign-key join draws, and which arguments it takes. What it does is in tests/operators
and in the conformance cases.
"""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Materialized, StreamsBuilder, TableJoined, TopologyError, serdes
from penstock._engine.topology.nodes.stream_nodes import SourceNode
from penstock.dsl.joins.foreign_key import one_partition_by
from penstock.errors import StreamsError

TEXT = serdes.string()


def tables() -> tuple[StreamsBuilder, Any, Any]:
    builder = StreamsBuilder()
    return builder, builder.table("left"), builder.table("right")


def pick(value: Any) -> Any:
    return value


def pair(one: Any, two: Any) -> Any:
    return one, two


class TestDispatch:
    """`join` is by key or by foreign key, whichever its arguments say."""

    def is_by_foreign_key(self, *arguments: Any, **options: Any) -> bool:
        builder, left, right = tables()
        left.join(right, *arguments, **options)
        return any("FK-JOIN" in name for name in builder.build().nodes)

    def test_one_function_is_a_joiner(self) -> None:
        assert not self.is_by_foreign_key(pair)
        assert not self.is_by_foreign_key(joiner=pair)
        assert not self.is_by_foreign_key(pair, Materialized("m"), named="n")

    def test_two_functions_are_an_extractor_and_a_joiner(self) -> None:
        assert self.is_by_foreign_key(pick, pair)
        assert self.is_by_foreign_key(pick, joiner=pair)
        assert self.is_by_foreign_key(foreign_key_extractor=pick, joiner=pair)
        assert self.is_by_foreign_key(pick, pair, TableJoined(), Materialized("m"))

    def test_anything_else_is_told_both_ways(self) -> None:
        with pytest.raises(TopologyError) as caught:
            self.is_by_foreign_key(pick, pair, None, None, "more")
        assert caught.value.message == (
            "join of a table takes (other, joiner, materialized, named=...), or by foreign key "
            "(other, foreign_key_extractor, joiner, table_joined, materialized); got too many "
            "positional arguments"
        )


def test_both_tables_are_kept_in_stores() -> None:
    builder, left, right = tables()
    left.join(right, pick, pair)
    assert list(builder.build().stores) == [
        "left-STATE-STORE-0000000000",
        "right-STATE-STORE-0000000003",
        "KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-0000000010",
    ]


def test_each_topic_is_read_together_with_a_table() -> None:
    builder, left, right = tables()
    left.join(right, pick, pair, TableJoined("hop"))
    topology = builder.build()
    assert topology.copartition_groups == [
        frozenset({"KSTREAM-SOURCE-0000000004", "hop-subscription-registration-source"}),
        frozenset({"KSTREAM-SOURCE-0000000001", "hop-subscription-response-source"}),
    ]
    assert list(topology.internal_topics) == [
        "hop-subscription-registration-topic",
        "hop-subscription-response-topic",
    ]


def test_the_result_has_the_keys_of_the_left_table() -> None:
    builder = StreamsBuilder()
    left = builder.table("left", Consumed[int, Any](key=serdes.long()))
    result = left.join(
        builder.table("right", Consumed(key=TEXT)),
        pick,
        pair,
        materialized=Materialized(value=TEXT),
    )
    assert (result._handle.key_serde, result._handle.value_serde) == (serdes.long(), TEXT)
    sources = {
        node.name: node.key_serde
        for node in builder.build().nodes.values()
        if isinstance(node, SourceNode)
    }
    assert sources["KTABLE-SOURCE-0000000009"] == TEXT
    assert sources["KTABLE-SOURCE-0000000016"] == serdes.long()


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                (lambda: None, pair),
                "join's foreign_key_extractor must take (value); got the function <lambda>, which "
                "takes ()",
            ),
            (
                (pick, lambda one: one),
                "join's joiner must take (left, right); got the function <lambda>, which takes "
                "(one)",
            ),
            (
                (pick, pair, Materialized("results"), Materialized("others")),
                "join takes a TableJoined; got Materialized(name='results', key=None, value=None, "
                "store=None, caching=True, logging=True, retention=None, history_retention=None, "
                "max_entries=None)",
            ),
        ],
    )
    def test_wrong_arguments(self, arguments: tuple[Any, ...], message: str) -> None:
        _, left, right = tables()
        with pytest.raises(TopologyError) as caught:
            left.join(right, *arguments)
        assert caught.value.message == message

    def test_a_stream_in_the_place_of_a_table(self) -> None:
        builder, left, _ = tables()
        with pytest.raises(TopologyError, match=r"^left_join of a table takes another KTable; got"):
            left.left_join(builder.stream("s"), pick, pair)

    def test_a_table_of_another_builder(self) -> None:
        _, left, _ = tables()
        _, _, stranger = tables()
        with pytest.raises(TopologyError, match=r"^join takes a table of the same StreamsBuilder"):
            left.join(stranger, pick, pair)


class TestPartitioners:
    def test_the_user_s_partitioner_is_shown_no_value(self) -> None:
        seen: list[Any] = []

        def partitioner(*arguments: Any) -> int:
            seen.append(arguments)
            return 3

        assert one_partition_by(partitioner)("t", "k", (b"answer", 1), 5) == 3
        assert seen == [("t", "k", None, 5)]

    def test_one_partition_may_be_in_a_list_and_none_is_kafka_s_choice(self) -> None:
        assert one_partition_by(lambda *_: [2, 2])("t", "k", None, 5) == 2
        assert one_partition_by(lambda *_: None)("t", "k", None, 5) is None

    @pytest.mark.parametrize("chosen", [[], [0, 1]])
    def test_several_partitions_or_none_at_all_are_refused(self, chosen: list[int]) -> None:
        with pytest.raises(StreamsError) as caught:
            one_partition_by(lambda *_: chosen)("t", "k", None, 5)
        assert str(caught.value) == (
            "a partitioner of a foreign-key join must give one partition, or None; got "
            f"{chosen!r} for topic 't'"
        )
