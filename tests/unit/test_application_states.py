"""The table of moves, as in Java's KafkaStreams.State, and the machine that keeps to it."""

from __future__ import annotations

import threading

import pytest

from penstock.application_states import ENDING, MOVES, State, StateMachine
from penstock.errors import StreamsError


def test_every_state_has_its_moves_and_the_last_ones_none() -> None:
    assert MOVES.keys() == set(State)
    assert {state for state, after in MOVES.items() if not after} == {
        State.NOT_RUNNING,
        State.ERROR,
    }


def test_what_ends_does_not_come_back() -> None:
    assert all(MOVES[state] <= ENDING for state in ENDING)


def test_the_listener_is_called_with_the_new_and_the_old_state() -> None:
    states, moves = StateMachine(), list[tuple[State, State]]()
    states.listener = lambda new, old: moves.append((new, old))
    states.move(State.REBALANCING)
    states.move(State.REBALANCING)
    states.move(State.RUNNING)
    assert moves == [(State.REBALANCING, State.CREATED), (State.RUNNING, State.REBALANCING)]


def test_a_move_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(StreamsError, match="cannot go from CREATED to RUNNING"):
        StateMachine().move(State.RUNNING)


def test_what_ends_ignores_every_other_move() -> None:
    states = StateMachine()
    states.move(State.PENDING_SHUTDOWN)
    states.move(State.RUNNING)
    assert states.state is State.PENDING_SHUTDOWN
    assert not states.ended
    states.move(State.NOT_RUNNING)
    assert states.ended


def test_a_state_is_waited_for_until_it_comes_or_the_end() -> None:
    states = StateMachine()
    assert not states.wait_until(State.RUNNING, 0)
    threading.Timer(0.01, states.move, [State.REBALANCING]).start()
    assert states.wait_until(State.REBALANCING, 10)
    states.move(State.PENDING_SHUTDOWN)
    states.move(State.NOT_RUNNING)
    assert not states.wait_until(State.RUNNING, 10)
