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
    ids_of_other_runs,
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
            claim_record("3", "old", "first"),
            written_record(3, Written("one", 6, Contents(1, 1))),
            claim_record("3", "new", "second"),
            claim_record("opening", "lock", "second"),
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


def test_ids_whose_last_record_is_of_another_run_may_be_those_of_killed_writers() -> None:
    records = [
        written_record(3, Written("old", 7, Contents(1, 2))),
        claim_record("4", "a", "old"),
        run_record(Run("old", is_open=False)),
        written_record(5, Written("old", 7, Contents(1, 2))),
        cut_record(Cut(7, {})),
        # This run has them by now, and has ended what was open.
        claim_record("5", "b", "new"),
        claim_record("6", "c", "new"),
    ]
    assert ids_of_other_runs(records, None, "new") == ["3", "4", "opening"]
    # A run that is superseded must not fence those of the run that has superseded it.
    assert ids_of_other_runs(records, Run("old", True, ("new",)), "new") == []
    announced = run_record(Run("last", is_open=False, superseded=("new",)))
    assert ids_of_other_runs([*records, announced], None, "new") == []
