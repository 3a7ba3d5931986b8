"""Windows as operators see them: values, flushes, errors. What is read is in tests/stores."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from penstock import StreamsError, serdes
from penstock._engine.state.codec import TIMESTAMP_BYTES, timestamp_of
from penstock._engine.state.views.window import WindowState
from penstock.stores import StoreBuilder
from penstock.stores._builders import join_store_builder, window_store_builder
from penstock.windowed import Windowed
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES

TEXT, NUMBER = serdes.string(), serdes.long()


def counts(**options: Any) -> StoreBuilder:
    return window_store_builder("s", TEXT, NUMBER, retention_ms=1000, window_size_ms=10, **options)


def opened(builder: StoreBuilder) -> tuple[Bench, WindowState]:
    bench = Bench(builder, ENGINES["memory"])
    return bench, bench.store.state(WindowState)


def test_a_row_has_its_time_before_its_value() -> None:
    _, state = opened(counts(caching=False))
    state.put(b"k", 20, 5, 23, 99, ())
    row = state.get(b"k", 20)
    assert row is not None
    assert (timestamp_of(row), state.decode_value(row[TIMESTAMP_BYTES:])) == (23, 5)
    assert state.value_of(row) == 5
    assert state.fetch(b"k", 20, 20) == [(20, row)]
    assert list(state.backward_fetch(b"k", 0, 99)) == [(20, row)]
    assert list(state.fetch_all(0, 99)) == [(b"k", 20, row)]
    state.put(b"k", 20, None, 0, 99, ())
    assert state.get(b"k", 20) is None


def test_the_changelog_has_the_time_of_the_value() -> None:
    bench, state = opened(counts(caching=False))
    state.put(b"k", 20, 5, 23, 99, (("h", b"x"),))
    state.put(b"k", 20, None, 0, 99, ())
    bench.commit()
    key = b"k" + (20).to_bytes(8, "big") + bytes(4)
    assert bench.changelog == [(key, (5).to_bytes(8, "big"), 23), (key, None, 99)]


def test_a_plain_row_is_the_value() -> None:
    builder = join_store_builder("s", TEXT, TEXT, retention_ms=1000, window_size_ms=1000)
    _, state = opened(builder)
    for value in ("a", "b", None):
        state.put_plain(b"k", 20, value, 20, ())
    assert state.fetch(b"k", 0, 99) == [(20, b"a"), (20, b"b")]
    assert state.observed_time() == 20


def test_changes_are_forwarded_when_the_cache_is_flushed() -> None:
    bench, state = opened(counts())
    told: list[Any] = []
    assert state.forwards_at_flush(lambda *change: told.append(change), sends_old_values=True)
    state.put(b"k", 20, 1, 21, 50, ())
    state.put(b"k", 20, 2, 22, 51, (("h", b"x"),))
    assert told == []
    bench.commit()
    assert told == [(Windowed("k", 20, 30), (2, None), 22, (("h", b"x"),))]
    state.put(b"k", 20, 3, 23, 52, ())
    state.put(b"k", 40, None, 0, 53, ())
    bench.commit()
    assert told[1:] == [(Windowed("k", 20, 30), (3, 2), 23, ())]
    state.put(b"k", 20, None, 0, 54, ())
    bench.commit()
    assert told[2:] == [(Windowed("k", 20, 30), (None, 3), 54, ())]


def test_without_a_cache_nothing_is_forwarded_later() -> None:
    _, state = opened(counts(caching=False))
    assert not state.forwards_at_flush(lambda *change: None, sends_old_values=False)


def test_results_on_close_come_by_time_then_key_cached_or_not() -> None:
    for caching in (False, True):
        bench, state = opened(counts(caching=caching, order="time"))
        for key, start in ((b"b", 10), (b"a", 20), (b"c", 0), (b"a", 10)):
            state.put(key, start, 1, start, start, ())
        bench.commit()
        state.put(b"z", 10, 2, 10, 10, ())
        state.put(b"b", 10, None, 10, 10, ())
        found = [(start, key) for key, start, _ in state.fetch_all(1, 20)]
        assert found == [(10, b"a"), (10, b"z"), (20, b"a")]


@pytest.mark.parametrize("engine", ["in_memory", "rocksdb"])
@pytest.mark.parametrize("caching", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_what_a_store_says_that_it_keeps_is_found_in_it(
    seed: int, caching: bool, engine: str
) -> None:
    random = Random(seed)
    bench, state = opened(counts(engine=engine, caching=caching, order="time"))
    put: set[int] = set()
    time = 0
    for _ in range(100):
        time += random.choice([0, 10, 500, 5_000, 30_000, 90_000])
        # As a window that takes a record is never out of sight.
        start = max(0, time - random.randint(0, 900))
        state.put(b"k", start, 1, start, start, ())
        put.add(start)
        if random.random() < 0.3:
            bench.commit()
        kept = {start for start in put if start >= state.kept_from(time)}
        found = [start for _, start, _ in state.fetch_kept(0, time)]
        assert kept <= set(found)
        assert found == sorted(set(found))
    assert caching or len(found) < len(put)


def test_a_window_that_is_out_of_sight_is_kept_until_its_segment_goes() -> None:
    _, state = opened(counts(caching=False, order="time"))
    for start in (0, 59_999, 60_000):
        state.put(b"k", start, 1, start, start, ())
    assert [start for _, start, _ in state.fetch_all(0, 99_999)] == [59_999, 60_000]
    assert [start for _, start, _ in state.fetch_kept(0, 99_999)] == [0, 59_999, 60_000]
    assert (state.kept_from(60_999), state.kept_from(61_000)) == (0, 60_000)
    state.put(b"k", 61_000, 1, 61_000, 61_000, ())
    assert [start for _, start, _ in state.fetch_kept(0, 99_999)] == [60_000, 61_000]


def test_a_serde_that_does_not_fit_is_named() -> None:
    _, state = opened(counts(caching=False))
    with pytest.raises(StreamsError, match="state store 's' has a value serde that does not fit"):
        state.put(b"k", 0, "five", 0, 0, ())
    error = TypeError("?")
    assert "key serde" in str(state.explained(error, 5))
    assert state.explained(error, "fits") is error
    assert state.copy(7) == 7
