"""Wrong joins are refused where they are written, with a message that says what to do."""

# mypy: ignore-errors
# Wrong on purpose: most of these programs do not pass a type checker either.

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Consumed,
    GlobalKTable,
    Joined,
    JoinWindows,
    KStream,
    KTable,
    Materialized,
    Processor,
    PunctuationType,
    Repartitioned,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsError,
    TimeWindows,
    Topology,
    serdes,
)
from penstock.testing import TopologyTestDriver
from tests.refusals.wrong import Wrong, WrongPrograms

TEXT = serdes.string()
NEAR = JoinWindows.of_time_difference(10, grace=5)
WRONG = WrongPrograms()
refused = WRONG.refused


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.program.__name__)
def test_a_wrong_join_is_refused_at_its_line(wrong: Wrong) -> None:
    wrong.check()


class Keep(Processor):
    def process(self, record: Any) -> None:
        self.context.get_state_store("kept").put(record.key, record.value)


KEPT = Stores.in_memory_key_value_store("kept", key=TEXT, value=TEXT)


def pair(left: str, right: str) -> str:
    return f"{left}{right}"


def inputs() -> tuple[StreamsBuilder, KStream[str, str], KStream[str, str]]:
    builder = StreamsBuilder()
    return builder, builder.stream("left"), builder.stream("right")


def with_table(**kept: object) -> tuple[StreamsBuilder, KStream[str, str], KTable[str, str]]:
    builder = StreamsBuilder()
    table = builder.table("right", materialized=Materialized("rows", **kept))
    return builder, builder.stream("left"), table


def with_global() -> tuple[KStream[str, str], GlobalKTable[str, str]]:
    builder = StreamsBuilder()
    return builder.stream("left"), builder.global_table("right")


def window_store(retention: int, size: int, *, duplicates: bool = True) -> object:
    return Stores.in_memory_window_store(
        "mine",
        retention=retention,
        window_size=size,
        key=TEXT,
        value=TEXT,
        retain_duplicates=duplicates,
    )


# What is joined


@refused("join takes a KStream, a KTable or a GlobalKTable; got 'right'")
def joining_with_a_topic() -> None:
    _, left, _ = inputs()
    left.join("right", pair, NEAR)  # wrong


@refused("outer_join takes another KStream; got an object of class KTable")
def an_outer_join_with_a_table() -> None:
    _, left, table = with_table()
    left.outer_join(table, pair, NEAR)  # wrong


@refused(
    "left_join takes a stream or table of the same StreamsBuilder; got one of another builder; "
    "make both with one"
)
def joining_streams_of_two_builders() -> None:
    _, left, _ = inputs()
    _, _, right = inputs()
    left.left_join(right, pair, NEAR)  # wrong


# How it is joined


@refused(
    "join with a KStream takes (other, joiner, windows, joined); missing a required argument: "
    "'windows'"
)
def joining_streams_without_windows() -> None:
    _, left, right = inputs()
    left.join(right, pair)  # wrong


@refused("join with a KTable takes (other, joiner, joined); too many positional arguments")
def joining_a_table_in_windows() -> None:
    _, left, table = with_table()
    left.join(table, pair, NEAR, Joined())  # wrong


@refused(
    "join with a GlobalKTable takes (other, key_selector, joiner, named); missing a required "
    "argument: 'joiner'"
)
def joining_a_global_table_without_a_key_selector() -> None:
    left, table = with_global()
    left.join(table, pair)  # wrong


@refused(
    "join of two streams takes JoinWindows; got TimeWindows(size_ms=5, advance_ms=5, grace_ms=0); "
    "pass how far apart two records may be: JoinWindows.of_time_difference(...)"
)
def joining_streams_in_time_windows() -> None:
    _, left, right = inputs()
    left.join(right, pair, TimeWindows.of_size(5))  # wrong


@refused(
    "join takes a StreamJoined; got Joined(name='x', key=None, value=None, other_value=None, "
    "grace=None)"
)
def joining_streams_with_the_option_of_tables() -> None:
    _, left, right = inputs()
    left.join(right, pair, NEAR, Joined("x"))  # wrong


@refused("join takes a Joined; got JoinWindows(before_ms=10, after_ms=10, grace_ms=5)")
def joining_a_table_with_windows() -> None:
    _, left, table = with_table()
    left.join(table, pair, NEAR)  # wrong


@refused(
    "left_join's joiner must be a function; got None; pass the function itself, without calling it"
)
def joining_without_a_joiner() -> None:
    _, left, right = inputs()
    left.left_join(right, None, NEAR)  # wrong


@refused(
    "join's joiner must take (left, right); got the function <lambda>, which takes (key, left, "
    "right); did you mean join_with_key?"
)
def a_joiner_that_also_wants_the_key() -> None:
    _, left, right = inputs()
    left.join(right, lambda key, left, right: key, NEAR)  # wrong


@refused(
    "outer_join_with_key's joiner must take (key, left, right); got the function pair, which takes "
    "(left: 'str', right: 'str') -> 'str'"
)
def a_joiner_that_does_not_take_the_key() -> None:
    _, left, right = inputs()
    left.outer_join_with_key(right, pair, NEAR)  # wrong


@refused(
    "join's key_selector must take (key, value); got the function <lambda>, which takes (value)"
)
def a_key_selector_of_the_value_alone() -> None:
    left, table = with_global()
    left.join(table, lambda value: value, pair)  # wrong


# Stores


@refused(
    "StreamJoined's this_store and other_store must have names of their own; got 'mine' for both"
)
def two_stores_of_one_name() -> None:
    _, left, right = inputs()
    own = StreamJoined(this_store=window_store(25, 20), other_store=window_store(25, 20))
    left.join(right, pair, NEAR, own)  # wrong


@refused(
    "store 'mine' of StreamJoined must be a window store that retains duplicates: a join keeps all "
    "records of a key; pass Stores.persistent_window_store(..., retain_duplicates=True)"
)
def a_store_without_duplicates() -> None:
    _, left, right = inputs()
    own = StreamJoined(this_store=window_store(25, 20, duplicates=False))
    left.join(right, pair, NEAR, own)  # wrong


@refused(
    "store 'mine' of StreamJoined must fit the join's windows: window_size=20 (before and after), "
    "retention=25 (and the grace); got window_size=20, retention=30"
)
def a_store_that_keeps_records_for_another_time() -> None:
    _, left, right = inputs()
    own = StreamJoined(other_store=window_store(30, 20))
    left.join(right, pair, NEAR, own)  # wrong


@refused("StreamJoined takes a StoreBuilder; got 'mine'")
def a_store_s_name_instead_of_a_store() -> None:
    StreamJoined(this_store="mine")  # wrong


@refused(
    "another state store is already named 'kept-this-join-store', defined at {first}; a store must "
    "have a name of its own"
)
def two_joins_that_keep_their_records_under_one_name() -> None:
    builder, left, right = inputs()
    left.join(right, pair, NEAR, StreamJoined(store_name="kept")).to("one")  # first
    left.join(right, pair, NEAR, StreamJoined(store_name="kept")).to("two")  # wrong
    builder.build()


# Grace


@refused("Joined(grace=...) must not be negative; got -1; pass a timedelta or milliseconds")
def a_negative_grace() -> None:
    Joined(grace=-1)  # wrong


@refused(
    "join with Joined(grace=...) needs a versioned table, to look rows up as of the time of a "
    "record; pass Materialized(..., history_retention=...) where the table is made"
)
def a_grace_without_versions() -> None:
    _, left, table = with_table()
    left.join(table, pair, Joined(grace=5))  # wrong


@refused(
    "Joined(grace=...) must not be longer than the history of state store 'rows'; got a grace of "
    "5001 ms and a history of 5000 ms; raise the table's Materialized(history_retention=...)"
)
def a_grace_longer_than_the_history() -> None:
    builder, left, table = with_table(history_retention=5000)
    left.join(table, pair, Joined(grace=5001))  # wrong
    builder.build()


# Partitions


@refused(
    "topics that are joined must have the same number of partitions; 'l-repartition' has 2, "
    "'r-repartition' has 3; pass the same Repartitioned(partitions=...) for both"
)
def repartitions_that_do_not_fit() -> None:
    builder, left, right = inputs()
    two = left.repartition(Repartitioned("l", partitions=2))
    three = right.repartition(Repartitioned("r", partitions=3))
    two.join(three, pair, NEAR).to("out")
    builder.build()  # wrong


# Global tables


@refused(
    "a global table is always kept in a store, so its Materialized must have a name; name it, or "
    "leave it out and pass Consumed(key=..., value=...)"
)
def a_global_table_without_a_store_s_name() -> None:
    StreamsBuilder().global_table("right", materialized=Materialized(key=TEXT))  # wrong


@refused(
    "a global table holds all rows of its topic, so its Materialized takes no max_entries; leave "
    "it out"
)
def a_global_table_of_some_rows() -> None:
    StreamsBuilder().global_table("right", materialized=Materialized("r", max_entries=2))  # wrong


@refused(
    "a global table must not be versioned: its rows are looked up as they are now; leave "
    "history_retention out"
)
def a_versioned_global_table() -> None:
    option = Materialized("rows", history_retention=5)
    StreamsBuilder().global_table("right", materialized=option)  # wrong


@refused("a topic's name must be a str; got ['a', 'b']")
def a_global_table_of_two_topics() -> None:
    StreamsBuilder().global_table(["a", "b"])  # wrong


@refused("add_global_store takes a Consumed; got the class Keep")
def a_global_store_with_its_arguments_mixed_up() -> None:
    StreamsBuilder().add_global_store(KEPT, "right", Keep, Consumed())  # wrong


@refused(
    "topic 'right' is already read by source 'KSTREAM-SOURCE-0000000000'; a topic must have one "
    "source"
)
def a_global_table_of_a_stream_s_topic() -> None:
    builder = StreamsBuilder()
    builder.stream("right").to("out")
    builder.global_table("right")  # wrong
    builder.build()


@refused(
    "global store 'kept' must not be connected to processor 'KSTREAM-PROCESSOR-0000000003': every "
    "processor may read it; leave it out"
)
def connecting_a_global_store() -> None:
    builder = StreamsBuilder()
    builder.add_global_store(KEPT, "right", None, Keep)
    builder.stream("left").process(Keep, state_stores=["kept"])  # wrong
    builder.build()


@refused(
    "another state store is already named 'kept', defined at {first}; a store must have a name of "
    "its own"
)
def a_global_store_with_the_name_of_another() -> None:
    topology = Topology().add_state_store(KEPT)  # first
    topology.add_global_store(KEPT, "source", "right", "keep", Keep)  # wrong


def test_writing_a_global_store_from_elsewhere_is_refused() -> None:
    class Write(Processor):
        def process(self, record: Any) -> None:
            self.context.get_state_store("kept").put(record.key, "mine")

    builder = StreamsBuilder()
    builder.add_global_store(KEPT, "right", Consumed(key=TEXT, value=TEXT), Keep)
    builder.stream("left", Consumed(key=TEXT, value=TEXT)).process(Write)
    with TopologyTestDriver(builder.build()) as driver:
        left = driver.create_input_topic("left", TEXT, TEXT)
        with pytest.raises(StreamsError, match="global store 'kept' must not be written here: put"):
            left.pipe_input("k", "v")


def test_a_timer_of_a_global_store_s_processor_is_refused() -> None:
    class Timed(Keep):
        def init(self, context: Any) -> None:
            super().init(context)
            context.schedule(5, PunctuationType.STREAM_TIME, lambda now: None)

    builder = StreamsBuilder()
    builder.add_global_store(KEPT, "right", Consumed(key=TEXT, value=TEXT), Timed)
    with pytest.raises(StreamsError, match="of a global store must not schedule anything"):
        TopologyTestDriver(builder.build())
