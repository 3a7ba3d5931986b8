"""What a partition does about a batch, for all that its journal can say."""

from __future__ import annotations

import pytest

from penstock._engine.kafka.sink.contents import Contents
from penstock._engine.kafka.sink.journal_state import Cut, JournalState, Written
from penstock._engine.kafka.sink.replay import (
    Compare,
    OtherCut,
    Place,
    Withhold,
    Write,
    agree,
    check,
    decide,
)
from penstock.errors import StreamsError

SOME, MORE = Contents(3, 30), Contents(4, 40)


def at(partition: int, run: str = "new", **more: object) -> Place:
    return Place("q", run, 5, partition, **more)  # type: ignore[arg-type]


def half(partitions: int | None = None, cut: Cut | None = None) -> JournalState:
    """Return a journal in which an earlier run has written partition 0 of batch 5."""
    return JournalState(written={0: Written("old", 5, SOME, partitions)}, cut=cut)


def test_a_batch_that_is_new_is_written() -> None:
    assert decide(JournalState(), at(0)) == Write()
    state = JournalState(written={0: Written("old", 4, SOME), 1: Written("new", 5, MORE)})
    assert decide(state, at(0)) == Write()
    # Partition 1 is of the same run, so the cut is the same.
    assert decide(state, at(2)) == Write()


def test_a_batch_that_is_written_is_compared() -> None:
    assert decide(half(), at(0)) == Compare(SOME)
    assert decide(half(), at(0, run="old")) == Compare(SOME)


def test_the_rest_of_a_half_written_batch_waits_for_the_comparison() -> None:
    assert decide(half(), at(1)) == Withhold()
    assert decide(half(cut=Cut(4, {1: MORE})), at(1)) == Withhold()
    cut = agree(half(), at(1), {0: SOME, 1: MORE})
    assert cut == Cut(5, {0: SOME, 1: MORE})
    assert decide(half(cut=cut), at(1)) == Write(MORE)
    assert decide(half(cut=cut), at(0)) == Compare(SOME)
    with pytest.raises(OtherCut, match="it had 2 partitions"):
        decide(half(cut=cut), at(2))


def test_where_rows_decide_about_the_cut_its_size_says_enough() -> None:
    assert decide(half(4), at(1, topic_partition_count=4)) == Write()
    assert decide(half(4), at(0, topic_partition_count=4)) == Compare(SOME)
    for partition in (0, 1):
        with pytest.raises(OtherCut, match=r"partitions 0\).*it had 4 partitions of the topic"):
            decide(half(4), at(partition, topic_partition_count=6))
    with pytest.raises(OtherCut, match="partitions of Spark's"):
        decide(half(), at(1, topic_partition_count=4))


def test_who_wants_it_again_gets_it_again_but_not_a_third_time() -> None:
    assert decide(half(4), at(0, topic_partition_count=6, again=True)) == Write()
    written = JournalState(written={0: Written("new", 5, MORE, 6)})
    assert decide(written, at(0, topic_partition_count=6, again=True)) == Compare(MORE)


def test_another_cut_is_refused_with_a_way_out() -> None:
    with pytest.raises(
        OtherCut, match=r"3 records in Spark's partition 0, now 4.*afterPartialWrite"
    ):
        check(MORE, SOME, at(0))
    with pytest.raises(OtherCut, match="3 other records in partition 0 of the topic"):
        check(Contents(3, 31), SOME, at(0, topic_partition_count=4))
    check(SOME, SOME, at(0))
    with pytest.raises(OtherCut, match="now 0"):
        agree(half(), at(1), {1: SOME})


def test_a_journal_that_is_ahead_of_the_checkpoint_is_refused() -> None:
    state = JournalState(written={0: Written("old", 6, SOME)})
    for partition in (0, 1):  # the second had no rows in batch 6
        with pytest.raises(StreamsError, match="checkpoint is older than the journal"):
            decide(state, at(partition))
