"""Kafka's offsets as Spark's, and what a batch reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.kafka.client.topic_history import Split
from penstock._engine.spark.dataframes.offsets import (
    Available,
    Position,
    admit,
    cut,
    find_losses,
    from_document,
    initial_document,
    is_initial,
    plan_batch,
    refusal,
    start_of,
    to_document,
)
from penstock.errors import StreamsError

A, B, C = ("orders", 0), ("orders", 1), ("prices", 0)
OFFSETS = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b.c"]), st.integers(0, 12)), st.integers(0, 2**60)
)


@given(OFFSETS)
def test_a_document_survives_a_checkpoint(offsets: dict[tuple[str, int], int]) -> None:
    position = Position(offsets, {topic: "id" for topic, _ in offsets})
    text = json.dumps(to_document(position))
    assert from_document(json.loads(text)) == position
    again = dict(reversed(list(offsets.items())))
    assert json.dumps(to_document(Position(again, position.ids))) == text


def test_a_document_is_that_of_sparks_own_source() -> None:
    assert to_document(Position({B: 3, A: 7})) == {"orders": {"0": 7, "1": 3}}


def test_the_first_batch_begins_where_its_end_says() -> None:
    start = initial_document("latest")
    assert is_initial(start)
    end = to_document(Position({A: 9}), began=Position({A: 4}))
    assert not is_initial(end)
    assert start_of(start, end) == Position({A: 4})
    later = to_document(Position({A: 12}))
    assert start_of(end, later) == Position({A: 9})


def test_a_later_batch_begins_where_its_start_says_and_its_end_for_new_partitions() -> None:
    start = to_document(Position({A: 9, C: 5}, {"orders": "1", "prices": "old"}))
    new = from_document(start).changed({A: 9, B: 2, C: 0}, {"orders": "1", "prices": "new"})
    assert new == Position({B: 2, C: 0}, {"orders": "1", "prices": "new"})
    end = to_document(Position({A: 12, B: 7, C: 3}, {"orders": "1", "prices": "new"}), began=new)
    begin = start_of(start, json.loads(json.dumps(end)))
    assert begin == Position({A: 9, B: 2, C: 0}, {"orders": "1", "prices": "new"})
    # The batch after it begins at its end alone, also if it is empty.
    assert start_of(end, end) == from_document(end)
    assert start_of(end, to_document(Position({A: 15}))) == from_document(end)


def test_a_partition_whose_end_went_back_begins_anew() -> None:
    assert Position({A: 9, B: 4}).changed({A: 0, B: 4}, {}) == Position({A: 0})


def test_offsets_of_a_topic_that_was_made_anew_are_forgotten() -> None:
    old = Position({A: 9, B: 4, C: 5}, {"orders": "old"})
    new = Position({A: 0}, {"orders": "new"})
    assert old.updated(new) == Position({A: 0, C: 5}, {"orders": "new"})


def test_an_offset_of_another_source_is_refused() -> None:
    with pytest.raises(StreamsError, match="use a new checkpoint"):
        from_document({"turn": 3})


def test_a_limit_is_shared_in_proportion() -> None:
    assert admit({A: 0, B: 100}, {A: 900, B: 200}, 100) == {A: 90, B: 110}
    assert admit({A: 0, B: 100}, {A: 900, B: 200}, None) == {A: 900, B: 200}
    assert admit({A: 0, B: 100}, {A: 900, B: 200}, 1000) == {A: 900, B: 200}


@given(OFFSETS, st.data(), st.integers(1, 10_000))
def test_a_limit_lets_every_partition_advance_and_none_too_far(
    begin: dict[tuple[str, int], int], data: st.DataObject, limit: int
) -> None:
    end = {one: at + data.draw(st.integers(0, 10_000)) for one, at in begin.items()}
    admitted = admit(begin, end, limit)
    for one, at in begin.items():
        assert at <= admitted[one] <= end[one]
        assert admitted[one] > at or end[one] == at
    assert sum(admitted[one] - at for one, at in begin.items()) <= limit + len(begin)


def test_a_batch_reads_between_its_offsets() -> None:
    now = Available({A: 0, B: 0}, {A: 50, B: 50})
    splits, lost = plan_batch(Position({A: 3, B: 5}), Position({A: 9, B: 5}), now)
    assert splits == [Split("orders", 0, 3, 9)]
    assert lost == []


def test_a_new_partition_begins_with_its_first_record() -> None:
    now = Available({A: 0, B: 2}, {A: 50, B: 50})
    splits, lost = plan_batch(Position({A: 3}), Position({A: 3, B: 9}), now)
    assert splits == [Split("orders", 1, 2, 9)]
    assert lost == []


def test_a_topic_that_was_made_anew_is_read_from_its_beginning() -> None:
    begin, end = Position({A: 5}, {"orders": "old"}), Position({A: 8}, {"orders": "new"})
    assert find_losses(begin, end) == [
        "topic 'orders', partition 0: the topic was deleted and made anew"
    ]
    splits, lost = plan_batch(begin, end, Available({A: 0}, {A: 8}, {"orders": "new"}))
    assert splits == [Split("orders", 0, 0, 8)]
    assert lost == []


def test_a_batch_of_a_topic_that_was_made_anew_since_has_no_records_of_the_new_one() -> None:
    ids = {"orders": "old", "prices": "same"}
    begin, end = Position({A: 5, C: 1}, ids), Position({A: 8, C: 2}, ids)
    now = Available({A: 0, C: 0}, {A: 50, C: 50}, {"orders": "new", "prices": "same"})
    splits, lost = plan_batch(begin, end, now)
    assert splits == [Split("prices", 0, 1, 2)]
    assert lost == ["topic 'orders', partition 0: the topic was deleted and made anew"]


def test_a_new_partition_that_lost_records_since_its_batch_was_planned_is_named() -> None:
    start = to_document(Position({A: 3}))
    end = to_document(Position({A: 3, B: 9}), began=Position({B: 0}))
    now = Available({A: 0, B: 2}, {A: 50, B: 50})
    splits, lost = plan_batch(start_of(start, end), from_document(end), now)
    assert splits == [Split("orders", 1, 2, 9)]
    assert lost == ["topic 'orders', partition 1: the offsets 0 to 1 were deleted"]


@pytest.mark.parametrize(
    ("now", "splits", "lost"),
    [
        (Available({A: 6}, {A: 50}), [Split("orders", 0, 6, 9)], "offsets 3 to 5 were deleted"),
        (Available({A: 20}, {A: 50}), [], "offsets 3 to 8 were deleted"),
        (Available({A: 0}, {A: 5}), [Split("orders", 0, 3, 5)], "it ends at 5, and the batch at 9"),
        (Available({}, {}), [], "it was deleted"),
    ],
)
def test_what_kafka_has_not_any_more_is_named(
    now: Available, splits: list[Split], lost: str
) -> None:
    found, told = plan_batch(Position({A: 3}), Position({A: 9}), now)
    assert found == splits
    assert len(told) == 1
    assert lost in told[0]
    assert "failOnDataLoss" in str(refusal(told))


def test_a_new_partition_whose_records_were_deleted_meanwhile_is_named() -> None:
    splits, lost = plan_batch(Position({}), Position({A: 9}), Available({A: 20}, {A: 50}))
    assert splits == []
    assert lost == ["topic 'orders', partition 0: the offsets before 9 were deleted"]


def test_ends_that_went_back_and_partitions_that_are_gone_are_losses() -> None:
    begin = Position({A: 5, B: 5})
    assert find_losses(begin, Position({A: 5, B: 9})) == []
    assert [lost.partition(": ")[2] for lost in find_losses(begin, Position({A: 4}))] == [
        "it ends at 4, and 5 was read already",
        "it was deleted",
    ]


def test_a_range_is_cut() -> None:
    assert [(one.start, one.end) for one in cut(A, 3, 10, 3)] == [(3, 6), (6, 9), (9, 10)]
    assert [(one.start, one.end) for one in cut(A, 3, 10, None)] == [(3, 10)]
    assert cut(A, 3, 3, None) == []


DAY_MS = 24 * 60 * 60 * 1000


def test_a_topic_that_a_pattern_matched_is_forgotten_a_day_after_it_was_seen_last() -> None:
    """A topic for each day, which is deleted after a week: the document must not grow for ever."""
    begin, most = Position({}), 0
    for day in range(400):
        week = range(max(0, day - 7), day + 1)
        ids = {f"logs-{one}": f"id-{one}" for one in week}
        now = Position({(topic, 0): 10 for topic in ids}, ids)
        end = begin.updated(now).aged(now, day * DAY_MS)
        begin = from_document(json.loads(json.dumps(to_document(end))))
        most = max(most, len(begin.offsets), len(begin.ids))
    assert most == 9


def test_a_topic_that_is_back_within_a_day_goes_on_where_it_was() -> None:
    both, other = Position({("a", 0): 5, ("b", 0): 3}, {"a": "1"}), Position({("b", 0): 4})
    hidden = both.updated(other).aged(other, 1000)
    assert hidden == Position({("a", 0): 5, ("b", 0): 4}, {"a": "1"}, {"a": 1000})
    later = hidden.updated(other).aged(other, 999 + DAY_MS)
    assert later == hidden
    assert later.updated(both).aged(both, 1000 + DAY_MS) == both
    assert later.aged(other, 1000 + DAY_MS) == other
