"""The table of moves, as in Java's KafkaStreams.State."""

from __future__ import annotations

from penstock.application_states import ENDING, MOVES, State


def test_every_state_has_its_moves_and_the_last_ones_none() -> None:
    assert MOVES.keys() == set(State)
    assert {state for state, after in MOVES.items() if not after} == {
        State.NOT_RUNNING,
        State.ERROR,
    }


def test_what_ends_does_not_come_back() -> None:
    assert all(MOVES[state] <= ENDING for state in ENDING)
