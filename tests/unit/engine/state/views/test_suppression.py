"""The buffer of suppress with types: what is held back, and what was let out before."""

from __future__ import annotations

import pytest

from penstock import StreamsError, serdes
from penstock._engine.state.codec import plain_codec
from penstock._engine.state.suppression_buffer import SuppressionBuffer
from penstock._engine.state.views.suppression import SuppressionState


@pytest.fixture
def state() -> SuppressionState:
    codec = plain_codec("topic", serdes.string(), serdes.long())
    return SuppressionState("held", codec, SuppressionBuffer(None))


def put(state: SuppressionState, key: str, new: int | None, old: int | None) -> None:
    record = (1, (), "in", 0, (0, 1, None, None, ()))
    raw_key = state.encode_key(key)
    state.buffer.put(raw_key, 1, state.encode_value(new), state.encode_value(old), record)


def test_a_row_that_is_not_held_back_has_no_prior_value(state: SuppressionState) -> None:
    assert state.prior_value("k") == (False, None)


def test_the_prior_value_is_that_of_before_the_first_change(state: SuppressionState) -> None:
    put(state, "k", 2, 1)
    put(state, "k", 3, 2)
    assert state.prior_value("k") == (True, 1)


def test_a_row_that_was_not_there_before_has_a_prior_value_of_none(state: SuppressionState) -> None:
    put(state, "k", 2, None)
    assert state.prior_value("k") == (True, None)


def test_a_value_that_does_not_fit_is_explained(state: SuppressionState) -> None:
    with pytest.raises(StreamsError, match="state store 'held' has a value serde that does not fi"):
        state.encode_value("text")
