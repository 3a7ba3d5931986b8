"""Whether a changed program finds its state again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock import (
    Grouped,
    JoinWindows,
    Materialized,
    Processor,
    Record,
    Repartitioned,
    Stores,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock._engine.planner.fingerprint import (
    Fingerprint,
    StoreShape,
    compare,
    fingerprint_of,
    read_fingerprint,
    refusal,
)


def shape(draw: Callable[[StreamsBuilder], object], **config: Any) -> Fingerprint:
    return fingerprint_of(topology(draw, **config))


def topology(draw: Callable[[StreamsBuilder], object], **config: Any) -> Topology:
    builder = StreamsBuilder()
    draw(builder)
    return builder.build(config)


def harm(
    before: Callable[[StreamsBuilder], object], now: Callable[[StreamsBuilder], object]
) -> list[str]:
    """Return the changes that would lose state."""
    return [change.text for change in compare(shape(before), shape(now)) if not change.keeps_state]


def count_words(builder: StreamsBuilder) -> None:
    builder.stream("words").group_by_key().count()


class TestShape:
    def test_a_store_knows_its_kind_its_changelog_and_what_feeds_it(self) -> None:
        assert shape(count_words).stores == {
            "KSTREAM-AGGREGATE-STATE-STORE-0000000001": StoreShape(
                kind="timestamped_key_value",
                window_ms=None,
                log="KSTREAM-AGGREGATE-STATE-STORE-0000000001-changelog",
                is_logged_by_source=False,
                reads=("words",),
            )
        }

    def test_what_is_behind_a_repartition_topic_is_fed_from_the_topics_before_it(self) -> None:
        def draw(builder: StreamsBuilder) -> None:
            both = builder.stream("a").merge(builder.stream("b"))
            both.group_by(lambda k, v: v, Grouped("g")).count(Materialized("counts"))

        found = shape(draw)
        assert found.stores["counts"].reads == ("a", "b")
        assert found.topics == {"g-repartition": ("a", "b")}

    def test_the_answers_of_a_foreign_key_join_come_from_both_tables(self) -> None:
        def draw(builder: StreamsBuilder) -> None:
            left, right = builder.table("left"), builder.table("right")
            left.join(right, lambda value: value, lambda one, two: one)

        assert list(shape(draw).topics.values()) == [("left",), ("left", "right")]

    def test_a_table_that_is_restored_from_its_topic(self) -> None:
        def draw(builder: StreamsBuilder) -> None:
            builder.table("rows", materialized=Materialized("store"))

        found = shape(draw, **{"topology.optimization": "all"}).stores["store"]
        assert (found.log, found.is_logged_by_source) == ("rows", True)

    def test_windows_have_a_length(self) -> None:
        def draw(builder: StreamsBuilder) -> None:
            windows = TimeWindows.of_size(500, grace=100)
            builder.stream("in").group_by_key().windowed_by(windows).count(Materialized("w"))

        assert shape(draw).stores["w"].window_ms == 500

    def test_a_processor_s_store_is_fed_from_all_that_use_it(self) -> None:
        class Keep(Processor[Any, Any, Any, Any]):
            def process(self, record: Record[Any, Any]) -> None: ...

        def draw(builder: StreamsBuilder) -> None:
            store = Stores.in_memory_key_value_store(
                "kept", key=serdes.string(), value=serdes.string(), logging=False
            )
            builder.add_state_store(store)
            builder.stream("b").process(Keep, state_stores=["kept"])
            builder.stream("a").process(Keep, state_stores=["kept"])

        found = shape(draw).stores["kept"]
        assert (found.kind, found.log, found.reads) == ("key_value", None, ("a", "b"))

    def test_as_text_it_is_the_same_for_the_same_shape_and_can_be_read_back(self) -> None:
        one, two = shape(count_words), shape(count_words)
        assert one.to_json() == two.to_json()
        assert one.id == two.id
        assert read_fingerprint(one.to_json()) == one

    def test_what_a_later_version_wrote_is_not_read(self) -> None:
        assert read_fingerprint('{"format": 2}') is None


class TestHarmless:
    def test_the_same_program(self) -> None:
        assert compare(shape(count_words), shape(count_words)) == []

    def test_other_functions(self) -> None:
        def draw(suffix: str) -> Callable[[StreamsBuilder], object]:
            return lambda builder: (
                builder.stream("words").map_values(lambda v: v + suffix).group_by_key().count()
            )

        assert compare(shape(draw("a")), shape(draw("b"))) == []

    def test_another_stateless_verb_in_the_place_of_one(self) -> None:
        def before(builder: StreamsBuilder) -> None:
            builder.stream("words").filter(lambda k, v: True).group_by_key().count()

        def now(builder: StreamsBuilder) -> None:
            builder.stream("words").map_values(lambda v: v).group_by_key().count()

        assert compare(shape(before), shape(now)) == []

    def test_stateless_verbs_come_and_go_around_stores_with_names(self) -> None:
        def before(builder: StreamsBuilder) -> None:
            builder.stream("words").group_by_key().count(Materialized("counts"))

        def now(builder: StreamsBuilder) -> None:
            words = builder.stream("words").filter(lambda k, v: True).peek(print)
            words.group_by_key().count(Materialized("counts")).to_stream().to("out")

        assert compare(shape(before), shape(now)) == []

    def test_verbs_behind_the_last_store_move_nothing(self) -> None:
        def now(builder: StreamsBuilder) -> None:
            builder.stream("words").group_by_key().count().to_stream().filter(lambda k, v: True).to(
                "out"
            )

        assert compare(shape(count_words), shape(now)) == []

    def test_a_store_more(self) -> None:
        def now(builder: StreamsBuilder) -> None:
            count_words(builder)
            builder.stream("more").group_by_key().count(Materialized("more"))

        changes = compare(shape(count_words), shape(now))
        assert [change.text for change in changes] == ["store 'more' is new and begins empty"]
        assert changes[0].keeps_state

    def test_a_store_less(self) -> None:
        changes = compare(shape(count_words), shape(lambda builder: builder.stream("words")))
        assert [(change.text, change.keeps_state) for change in changes] == [
            ("store 'KSTREAM-AGGREGATE-STATE-STORE-0000000001' is gone", True)
        ]

    def test_an_input_more_for_a_store_with_a_name(self) -> None:
        def draw(*topics: str) -> Callable[[StreamsBuilder], object]:
            return lambda builder: (
                builder.stream(list(topics)).group_by_key().count(Materialized("counts"))
            )

        assert compare(shape(draw("a")), shape(draw("a", "b"))) == []

    def test_another_retention(self) -> None:
        def draw(retention: int) -> Callable[[StreamsBuilder], object]:
            return lambda builder: (
                builder.stream("in")
                .group_by_key()
                .windowed_by(TimeWindows.of_size(500))
                .count(Materialized("w", retention=retention))
            )

        assert compare(shape(draw(1000)), shape(draw(9000))) == []

    def test_what_was_deleted_on_the_cluster_cannot_be_lost(self) -> None:
        def now(builder: StreamsBuilder) -> None:
            builder.stream("words").peek(print).group_by_key().count()

        changes = compare(shape(count_words), shape(now), exists=lambda topic: False)
        assert all(change.keeps_state for change in changes)

    def test_a_table_that_is_restored_from_its_topic_may_have_another_name(self) -> None:
        def draw(name: str) -> Fingerprint:
            return shape(
                lambda builder: builder.table("rows", materialized=Materialized(name)),
                **{"topology.optimization": "all"},
            )

        assert all(change.keeps_state for change in compare(draw("one"), draw("two")))

    def test_a_changelog_given_up(self) -> None:
        def draw(logging: bool) -> Callable[[StreamsBuilder], object]:
            option: Materialized[Any, Any] = Materialized("counts", logging=logging)
            return lambda builder: builder.stream("words").group_by_key().count(option)

        [change] = compare(shape(draw(True)), shape(draw(False)))
        assert change.keeps_state
        assert change.text == (
            "store 'counts' was restored from topic 'counts-changelog' and is restored from no "
            "topic"
        )


class TestHarmful:
    def test_a_verb_put_in_moves_the_numbers_behind_it(self) -> None:
        def now(builder: StreamsBuilder) -> None:
            builder.stream("words").peek(print).group_by_key().count()

        assert harm(count_words, now) == [
            "store 'KSTREAM-AGGREGATE-STATE-STORE-0000000001' is gone and "
            "'KSTREAM-AGGREGATE-STATE-STORE-0000000002' is new, which looks like the same one "
            "under another name: it would begin empty"
        ]

    def test_a_store_given_another_name(self) -> None:
        def now(builder: StreamsBuilder) -> None:
            builder.stream("words").group_by_key().count(Materialized("counts"))

        assert harm(count_words, now) == [
            "store 'KSTREAM-AGGREGATE-STATE-STORE-0000000001' is gone and 'counts' is new, which "
            "looks like the same one under another name: it would begin empty"
        ]

    def test_two_stores_that_change_places(self) -> None:
        def draw(first: str, second: str) -> Callable[[StreamsBuilder], object]:
            def program(builder: StreamsBuilder) -> None:
                builder.stream(first).group_by_key().count()
                builder.stream(second).group_by_key().count()

            return program

        assert harm(draw("a", "b"), draw("b", "a")) == [
            "store 'KSTREAM-AGGREGATE-STATE-STORE-0000000001' was fed from 'a' and is fed from "
            "'b': it would find the state of another",
            "store 'KSTREAM-AGGREGATE-STATE-STORE-0000000004' was fed from 'b' and is fed from "
            "'a': it would find the state of another",
        ]

    def test_a_name_given_to_something_else(self) -> None:
        def draw(topic: str) -> Callable[[StreamsBuilder], object]:
            return lambda builder: (
                builder.stream(topic).group_by_key().count(Materialized("counts"))
            )

        assert harm(draw("a"), draw("b")) == [
            "store 'counts' was fed from 'a' and is fed from 'b': it would find the state of "
            "another"
        ]

    def test_a_store_of_another_kind(self) -> None:
        def before(builder: StreamsBuilder) -> None:
            builder.stream("in").group_by_key().count(Materialized("counts"))

        def now(builder: StreamsBuilder) -> None:
            windows = TimeWindows.of_size(10)
            builder.stream("in").group_by_key().windowed_by(windows).count(Materialized("counts"))

        assert harm(before, now) == [
            "store 'counts' was of kind 'timestamped_key_value' and is of kind "
            "'timestamped_window': the rows that it has would be read wrong"
        ]

    @pytest.mark.parametrize(
        ("before", "now", "said"),
        [("DEFAULT", "HEADERS", "now"), ("HEADERS", "DEFAULT", "any more")],
    )
    def test_a_store_that_comes_to_hold_headers_is_restored(
        self, before: str, now: str, said: str
    ) -> None:
        def draw(logging: bool, *, windows: int = 10) -> Callable[[StreamsBuilder], None]:
            def drawn(builder: StreamsBuilder) -> None:
                grouped = builder.stream("in").group_by_key()
                grouped.count(Materialized("counts", logging=logging))
                grouped.windowed_by(TimeWindows.of_size(windows)).count(Materialized("windows"))

            return drawn

        def changes(logging: bool, windows: int = 10) -> list[tuple[str, bool]]:
            old = shape(draw(logging), **{"dsl.store.format": before})
            new = shape(draw(logging, windows=windows), **{"dsl.store.format": now})
            return [(change.text, change.keeps_state) for change in compare(old, new)]

        assert [keeps for _, keeps in changes(True)] == [True, True]
        text, _ = changes(True)[0]
        assert text.startswith("store 'counts' holds ")
        assert text.endswith(f"{said}: its rows are restored from topic 'counts-changelog'")
        assert [keeps for _, keeps in changes(False)] == [False, True]
        assert [keeps for _, keeps in changes(True, 20)] == [True, True, False]

    def test_windows_of_another_length(self) -> None:
        def draw(size: int) -> Callable[[StreamsBuilder], object]:
            windows = TimeWindows.of_size(size)
            return lambda builder: (
                builder.stream("in").group_by_key().windowed_by(windows).count(Materialized("w"))
            )

        assert harm(draw(10), draw(20)) == ["the windows of store 'w' lasted 10 ms and last 20"]

    def test_joins_of_another_length(self) -> None:
        def draw(difference: int) -> Callable[[StreamsBuilder], object]:
            windows = JoinWindows.of_time_difference(difference, grace=0)
            return lambda builder: builder.stream("a").join(
                builder.stream("b"), lambda one, two: one, windows
            )

        assert len(harm(draw(10), draw(20))) == 2

    def test_a_table_that_is_restored_from_its_topic_from_now_on(self) -> None:
        def draw(builder: StreamsBuilder) -> None:
            builder.table("rows", materialized=Materialized("store"))

        changes = compare(shape(draw), shape(draw, **{"topology.optimization": "all"}))
        assert [(change.text, change.keeps_state) for change in changes] == [
            (
                "store 'store' was restored from topic 'store-changelog' and is restored from "
                "topic 'rows'",
                False,
            )
        ]

    def test_a_repartition_topic_that_moves(self) -> None:
        def draw(*verbs: str) -> Callable[[StreamsBuilder], object]:
            def program(builder: StreamsBuilder) -> None:
                stream = builder.stream("in")
                for _ in verbs:
                    stream = stream.peek(print)
                stream.repartition().group_by_key().count(Materialized("counts"))

            return program

        assert harm(draw(), draw("peek")) == [
            "topic 'KSTREAM-REPARTITION-0000000001-repartition' is gone and "
            "'KSTREAM-REPARTITION-0000000002-repartition' is new, which looks like the same one "
            "under another name: what is under way in the old one would be lost"
        ]

    def test_a_repartition_topic_that_carries_something_else(self) -> None:
        def draw(topic: str) -> Callable[[StreamsBuilder], object]:
            return lambda builder: builder.stream(topic).repartition(Repartitioned("r")).to("out")

        assert harm(draw("a"), draw("b")) == [
            "topic 'r-repartition' was fed from 'a' and is fed from 'b': what is under way in it "
            "would be taken for something else"
        ]


@pytest.mark.parametrize("moved", ["store", "topic"])
def test_a_refusal_says_what_changed_and_all_ways_out(moved: str) -> None:
    def draw(builder: StreamsBuilder, *, peeks: bool) -> None:
        stream = builder.stream("words")
        stream = stream.peek(print) if peeks else stream
        if moved == "store":
            stream.group_by_key().count()
        else:
            stream.repartition()

    before = shape(lambda builder: draw(builder, peeks=False))
    now = topology(lambda builder: draw(builder, peeks=True))
    text = refusal(compare(before, fingerprint_of(now)), now, "app", "'it' to 'this'")
    name = (
        "Materialized('KSTREAM-AGGREGATE-STATE-STORE-0000000001')"
        if moved == "store"
        else "Repartitioned('KSTREAM-REPARTITION-0000000001')"
    )
    first, *lines = text.splitlines()
    assert first == "this is not the program that application 'app' ran last:"
    assert lines[0].startswith(f"  - {moved} 'KSTREAM-")
    assert lines[-4] == "Nothing was made or changed. You can"
    assert lines[-3].startswith(
        f"  - keep the state: undo the change, or give back the old names: {name} at {__file__}:"
    )
    assert lines[-2:] == [
        "  - begin anew: choose another 'application.id', or run 'penstock reset PROGRAM', which "
        "deletes its internal topics, committed offsets and local state",
        "  - let it run as it is: set 'it' to 'this'",
    ]
