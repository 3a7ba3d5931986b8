"""What waits for its match: order, bytes, and what is written to the changelog."""

from __future__ import annotations

import pytest

from penstock import StreamsError, serdes
from penstock._engine.state.views.outer_join import OuterJoinState
from penstock.stores._builders import outer_join_store_builder
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES


@pytest.fixture
def bench() -> Bench:
    text = serdes.string()
    builder = outer_join_store_builder("s", text, text, serdes.long())
    return Bench(builder, ENGINES["memory"])


def state_of(bench: Bench) -> OuterJoinState:
    return bench.store.state(OuterJoinState)


def test_they_go_by_time_then_side_then_key_then_arrival(bench: Bench) -> None:
    state = state_of(bench)
    state.put(b"k", 5, True, "left", 0, ())
    state.put(b"k", 5, False, 7, 0, ())
    state.put(b"a", 5, True, "a", 0, ())
    state.put(b"z", 1, True, "early", 0, ())
    state.put(b"k", 5, True, "again", 0, ())
    shown = [
        (time, state.decode_key(key), (state.decode_left if left else state.decode_right)(data))
        for time, left, key, data in state.all()
    ]
    assert shown == [(1, "z", "early"), (5, "k", 7), (5, "a", "a"), (5, "k", "left"),
                     (5, "k", "again")]  # fmt: skip


def test_the_changelog_has_java_s_bytes(bench: Bench) -> None:
    state = state_of(bench)
    state.put(b"k", 0, True, "A", 3, ())
    state.put(b"k", 0, True, "B", 4, ())
    state.discard(b"k", 0, False, 5, ())
    state.delete(b"k", 0, False, 6, ())
    state.discard(b"k", 0, True, 7, ())
    bench.commit()
    left, right = bytes(8) + b"\x01k", bytes(8) + b"\x00k"
    assert bench.changelog == [
        (left, bytes.fromhex("0100000001000000020141"), 3),
        (left, bytes.fromhex("01000000020000000201410000000201") + b"B", 4),
        (right, None, 6),
        (left, None, 7),
    ]
    assert list(state.all()) == []


def test_it_is_restored(bench: Bench) -> None:
    state_of(bench).put(b"k", 0, False, 5, 3, ())
    bench.commit()
    restored = bench.restored(1).state(OuterJoinState)
    assert list(restored.all()) == list(state_of(bench).all())


def test_a_serde_that_does_not_fit_is_named(bench: Bench) -> None:
    state = state_of(bench)
    with pytest.raises(StreamsError, match="value serde that does not fit"):
        state.put(b"k", 0, True, 5, 0, ())
    error = TypeError("?")
    assert "key serde" in str(state.explained(error, 5))
    assert state.explained(error, "fits") is error
