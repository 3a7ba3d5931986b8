"""The records of a sink's journal, and what they add up to."""

from __future__ import annotations

import pytest

from penstock._engine.kafka.sink.contents import Contents
from penstock._engine.kafka.sink.journal_state import (
    Cut,
    Run,
    Written,
    claim_record,
    cut_record,
    run_record,
    state_of,
    written_record,
)
from penstock.errors import StreamsError


def test_the_last_record_of_each_kind_counts() -> None:
    first, second = Run("one", True), Run("one", True).follow("two")
    written = Written("two", 7, Contents(3, 2**63 + 1), 4)
    cut = Cut(7, {0: Contents(3, 5), 11: Contents()})
    state = state_of(
        [
            run_record(first),
            claim_record("3", "old"),
            written_record(3, Written("one", 6, Contents(1, 1))),
            claim_record("3", "new"),
            claim_record("opening", "lock"),
            run_record(second),
            written_record(3, written),
            cut_record(cut),
        ]
    )
    assert state.run == Run("two", False, ("one",))
    assert state.claims == {"3": "new", "opening": "lock"}
    assert state.written == {3: written}
    assert state.cut == cut


def test_a_run_that_follows_itself_stays_and_old_runs_are_forgotten_at_last() -> None:
    run = Run("0", True)
    assert run.follow("0") is run
    for number in range(1, 100):
        run = run.follow(str(number))
    assert run.superseded == tuple(map(str, range(49, 99)))


def test_a_journal_of_a_later_version_is_refused() -> None:
    with pytest.raises(StreamsError, match="another version of Penstock"):
        state_of([("run", b'{"format": 2}')])


def test_records_of_an_unknown_kind_are_passed_over() -> None:
    assert state_of([("later", b'{"format": 1}')]).run is None
