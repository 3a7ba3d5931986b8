"""A session store behaves like a dict of sessions that forgets what is too old: on every engine,
with and without a cache, committed or not, and restored from its changelog.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from penstock import serdes
from penstock._engine.state.views.session import SessionState
from penstock.stores._builders import BuiltInEngine, ReadOrder, session_store_builder
from penstock.windowed import Windowed
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES, EngineCase, engine_names

RETENTION = 100_000
SEGMENT = 60_000

KEYS = st.sampled_from(["a", "b", "aa", "b\0\0\0\0\0\0\0\0\0"])
NO_KEY = st.none()
TIMES = st.integers(0, 8).map(lambda n: n * 30_000) | st.sampled_from([1, 59_999, 100_001])
NEGATIVE = st.sampled_from([-(2**63), -90_000, -1])
FIRSTS = TIMES | NEGATIVE
BOUNDS = FIRSTS | st.just(2**63 - 1)
VALUES = st.sampled_from(["x", "y", None])
LENGTHS = st.sampled_from([0, 5, 40_000])

Place = tuple[str, int, int]
"""(key, start, end)"""


@dataclass
class Model:
    """Sessions as Java keeps them, in a dict."""

    in_memory: bool
    rows: dict[Place, str] = field(default_factory=dict)
    observed: int = -1
    dropped: int = 0

    def copy(self) -> Model:
        return Model(self.in_memory, dict(self.rows), self.observed, self.dropped)

    def put(self, place: Place, value: str | None) -> None:
        end = place[2]
        self.observed = max(self.observed, end)
        if end <= self.observed - RETENTION if self.in_memory else end // SEGMENT < self._live():
            self.dropped += 1
        elif value is None:
            self.rows.pop(place, None)
        else:
            self.rows[place] = value

    def remove(self, place: Place) -> None:
        if not self.in_memory:
            self.observed = max(self.observed, place[2])
        self.rows.pop(place, None)

    def seen(self) -> dict[Place, str]:
        oldest = max(self.observed - RETENTION + 1, self._live() * SEGMENT)
        return {place: value for place, value in self.rows.items() if place[2] >= oldest}

    def _live(self) -> int:
        return (self.observed - RETENTION) // SEGMENT


class SessionMachine(RuleBasedStateMachine):
    """Does the same to a store and to the model, and compares what is read."""

    case: EngineCase
    in_memory: bool
    cached: bool

    @initialize()
    def open(self) -> None:
        builder = session_store_builder(
            "s",
            serdes.string(),
            serdes.string(),
            retention_ms=RETENTION,
            engine="in_memory" if self.in_memory else "rocksdb",
            caching=self.cached,
        )
        self.bench = Bench(builder, self.case)
        self.current = Model(self.in_memory)
        self.committed = self.current.copy()
        self.cache: dict[Place, str | None] = {}
        self.unflushed: dict[Place, str | None] = {}

    def teardown(self) -> None:
        if hasattr(self, "bench"):
            self.bench.close()

    @rule(key=KEYS, end=TIMES, length=LENGTHS, value=VALUES)
    def put(self, key: str, end: int, length: int, value: str | None) -> None:
        place = key, max(0, end - length), end
        self.bench.face.put(Windowed(*place), value)
        if self.cached:
            self._note(place, value)
        else:
            self.current.put(place, value)

    @rule(key=KEYS, end=TIMES, length=LENGTHS)
    def remove(self, key: str, end: int, length: int) -> None:
        place = key, max(0, end - length), end
        self.bench.face.remove(Windowed(*place))
        if self.cached:
            self._note(place, None)
        else:
            self.current.remove(place)

    @rule()
    def commit(self) -> None:
        self.bench.commit()
        for place, value in self.unflushed.items():
            self.current.put(place, value)
        self.cache = {place: value for place, value in self.cache.items() if value is not None}
        self.unflushed.clear()
        self.committed = self.current.copy()

    @rule()
    def abort(self) -> None:
        self.bench.abort()
        self.current = self.committed.copy()
        self.current.dropped = self.bench.dropped
        self.cache.clear()
        self.unflushed.clear()

    @rule(key=KEYS, end=TIMES, length=LENGTHS)
    def get(self, key: str, end: int, length: int) -> None:
        place = key, max(0, end - length), end
        assert self.bench.face.fetch_session(*place) == self.seen().get(place)

    @rule(key=KEYS, earliest_end=FIRSTS, latest_start=BOUNDS)
    def find(self, key: str, earliest_end: int, latest_start: int) -> None:
        expected = self.found(key, key, earliest_end, latest_start)
        face = self.bench.face
        assert list(face.find_sessions(key, earliest_end, latest_start)) == expected
        assert list(face.backward_find_sessions(key, earliest_end, latest_start)) == expected[::-1]

    @rule(key_from=KEYS | NO_KEY, key_to=KEYS | NO_KEY, earliest_end=FIRSTS, latest_start=BOUNDS)
    def find_range(
        self, key_from: str | None, key_to: str | None, earliest_end: int, latest_start: int
    ) -> None:
        bounds = key_from, key_to, earliest_end, latest_start
        expected = self.found(*bounds)
        face = self.bench.face
        assert list(face.find_sessions_range(*bounds)) == expected
        assert list(face.backward_find_sessions_range(*bounds)) == expected[::-1]

    @rule(first=FIRSTS, last=BOUNDS)
    def find_ending(self, first: int, last: int) -> None:
        found = {
            (key, start, end)
            for (key, start, end), _ in self.bench.face.find_sessions_ending(first, last)
        }
        assert found == {place for place in self.seen() if first <= place[2] <= last}

    @invariant()
    def everything_is_read_in_order(self) -> None:
        if hasattr(self, "bench"):
            expected = self.found(None, None, 0, 2**63 - 1)
            assert list(self.bench.face.fetch_range(None, None)) == expected
            assert self.bench.dropped == self.current.dropped

    @rule(batch=st.integers(1, 5))
    def a_restored_store_is_the_committed_one(self, batch: int) -> None:
        self.commit()
        if not self.cached and not self.in_memory:  # there a removal lets time pass only elsewhere
            restored = self.bench.restored(batch).face
            expected = list(self.bench.face.fetch_range(None, None))
            assert list(restored.fetch_range(None, None)) == expected

    def _note(self, place: Place, value: str | None) -> None:
        self.cache[place] = value
        self.unflushed.pop(place, None)
        self.unflushed[place] = value

    def seen(self) -> dict[Place, str]:
        """What is cached counts, even if it is too old."""
        seen: dict[Place, Any] = {**self.current.seen(), **self.cache}
        return {place: value for place, value in seen.items() if value is not None}

    def found(
        self, key_from: str | None, key_to: str | None, earliest_end: int, latest_start: int
    ) -> list[tuple[Windowed[str], str]]:
        seen = self.seen()
        places = [
            place
            for place in seen
            if (key_from is None or key_from <= place[0])
            and (key_to is None or place[0] <= key_to)
            and place[2] >= earliest_end
            and place[1] <= latest_start
        ]
        places.sort(key=_by_time if self.in_memory else _by_segment)
        return [(Windowed(*place), seen[place]) for place in places]


def _by_time(place: Place) -> tuple[int, bytes, int]:
    key, start, end = place
    return end, key.encode(), -start


def _by_segment(place: Place) -> tuple[int, bytes]:
    key, start, end = place
    return end // SEGMENT, key.encode() + end.to_bytes(8, "big") + start.to_bytes(8, "big")


@pytest.mark.parametrize("shape", ["plain", "cached"])
@pytest.mark.parametrize("engine", engine_names())
@pytest.mark.parametrize("kind", ["on disk", "in memory"])
def test_it_behaves_like_a_dict_that_forgets(kind: str, engine: str, shape: str) -> None:
    shaped = {
        "case": ENGINES[engine],
        "in_memory": kind == "in memory",
        "cached": shape == "cached",
    }
    run_state_machine_as_test(
        type("Machine", (SessionMachine,), shaped),
        settings=settings(
            max_examples=4 if ENGINES[engine].lasts else 25,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
def test_a_session_that_is_out_of_sight_is_kept_until_its_segment_goes(
    store: BuiltInEngine,
) -> None:
    builder = session_store_builder(
        "s", serdes.string(), serdes.string(),
        retention_ms=RETENTION, engine=store, caching=False, order="time_indexed",
    )  # fmt: skip
    state = Bench(builder, ENGINES["memory"]).store.state(SessionState)
    for key, start, end in [(b"a", 0, 5), (b"b", 3, 5), (b"a", 4, 5), (b"a", 59_999, 59_999)]:
        state.put(key, start, end, "x", end, ())
    state.put(b"a", 159_000, 159_000, "x", 159_000, ())
    found = [(key, start, end) for key, start, end, _ in state.find_kept(0, 99_999)]
    by_start = [(b"a", 0, 5), (b"b", 3, 5), (b"a", 4, 5)]
    by_key = [(b"a", 4, 5), (b"a", 0, 5), (b"b", 3, 5)]
    first = by_key if store == "in_memory" else by_start
    assert found == [*first, (b"a", 59_999, 59_999)]
    assert (state.kept_from(159_999), state.kept_from(160_000)) == (0, SEGMENT)
    assert state.observed_time() == 159_000
    state.put(b"a", 160_000, 160_000, "x", 160_000, ())
    assert list(state.find_kept(0, 99_999)) == []


@pytest.mark.parametrize("order", ["key", "time_indexed"])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("engine", engine_names())
@pytest.mark.parametrize("kind", ["rocksdb", "in_memory"])
def test_an_iterator_shows_the_sessions_of_when_it_was_made(
    kind: BuiltInEngine, engine: str, cached: bool, order: ReadOrder
) -> None:
    builder = session_store_builder(
        "s", serdes.string(), serdes.string(),
        retention_ms=120_000, engine=kind, caching=cached, order=order,
    )  # fmt: skip
    bench = Bench(builder, ENGINES[engine])
    face = bench.face
    face.put(Windowed("a", 10, 30_000), "1")
    bench.commit()
    face.put(Windowed("a", 100_000, 120_000), "2")
    open_now: dict[str, Callable[[], Any]] = {
        "fetch": lambda: face.fetch("a"),
        "backward_fetch": lambda: face.backward_fetch("a"),
        "fetch_range": lambda: face.fetch_range("a", "b"),
        "backward_fetch_range": lambda: face.backward_fetch_range(None, "b"),
        "find_sessions": lambda: face.find_sessions("a", 0, 120_000),
        "find_sessions_range": lambda: face.find_sessions_range("a", "b", 0, 120_000),
        "find_sessions_ending": lambda: face.find_sessions_ending(0, 120_000),
    }
    expected = {name: list(rows()) for name, rows in open_now.items()}
    assert {len(rows) for rows in expected.values()} == {2}
    opened = {name: rows() for name, rows in open_now.items()}
    face.put(Windowed("a", 150_000, 150_000), "3")
    face.remove(Windowed("a", 100_000, 120_000))
    bench.commit()
    face.put(Windowed("b", 400_000, 400_000), "4")
    bench.commit()
    assert {name: list(rows) for name, rows in opened.items()} == expected
    bench.close()


@pytest.mark.parametrize("latest_start", [-1, -90_000, -(2**63)])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("kind", ["rocksdb", "in_memory"])
def test_nothing_is_before_time_began(kind: Any, cached: bool, latest_start: int) -> None:
    builder = session_store_builder(
        "s", serdes.string(), serdes.string(), retention_ms=120_000, engine=kind, caching=cached
    )
    face = Bench(builder, ENGINES["memory"]).face
    for start in (0, 30_000):
        face.put(Windowed("a", start, start + 10), "1")
    for earliest_end in (-(2**63), -1, 0, 30_000):
        for found in (
            face.find_sessions("a", earliest_end, latest_start),
            face.backward_find_sessions("a", earliest_end, latest_start),
            face.find_sessions_range("a", "b", earliest_end, latest_start),
            face.backward_find_sessions_range(None, "b", earliest_end, latest_start),
            face.find_sessions_ending(earliest_end, latest_start),
        ):
            assert list(found) == []
    assert face.fetch_session("a", -10, -1) is None
