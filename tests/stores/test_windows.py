"""A window store behaves like a dict of windows that forgets what is too old: on every engine, with
and without a cache and duplicates, committed or not, and restored from its changelog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
from penstock.stores import StoreBuilder
from penstock.stores._builders import BuiltInEngine, ReadOrder, window_store_builder
from penstock.windowed import Windowed
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES, EngineCase, engine_names

RETENTION = 100_000
SEGMENT = 60_000
SIZE = 7

KEYS = st.sampled_from(["a", "b", "aa", "b\0\0\0\0\0\0\0\0\0"])
NO_KEY = st.none()
TIMES = st.integers(0, 8).map(lambda n: n * 30_000) | st.sampled_from([1, 59_999, 100_001])
NEGATIVE = st.sampled_from([-(2**63), -90_000, -1])
FIRSTS = TIMES | NEGATIVE
BOUNDS = FIRSTS | st.just(2**63 - 1)
VALUES = st.sampled_from(["x", "y", None])

Place = tuple[str, int, int]
"""(key, start, sequence)"""


@dataclass
class Model:
    """Windows as Java keeps them, in a dict."""

    in_memory: bool
    duplicates: bool
    rows: dict[Place, str] = field(default_factory=dict)
    observed: int = -1
    sequence: int = 0
    dropped: int = 0

    def copy(self) -> Model:
        return Model(
            self.in_memory,
            self.duplicates,
            dict(self.rows),
            self.observed,
            self.sequence,
            self.dropped,
        )

    def put(self, key: str, start: int, value: str | None) -> None:
        if self.duplicates:
            self.sequence += 1
            if value is None:
                if self.in_memory:
                    self.observed = max(self.observed, start)
                    self.dropped += start <= self.observed - RETENTION
                return
        self.observed = max(self.observed, start)
        if self._is_refused(start):
            self.dropped += 1
        elif value is None:
            self.rows.pop((key, start, 0), None)
        else:
            self.rows[key, start, self.sequence] = value

    def seen(self) -> dict[Place, str]:
        oldest = self.observed - RETENTION + 1
        return {
            place: value
            for place, value in self.rows.items()
            if place[1] >= oldest and place[1] // SEGMENT >= self._live()
        }

    def _is_refused(self, start: int) -> bool:
        if self.in_memory:
            return start <= self.observed - RETENTION
        return start // SEGMENT < self._live()

    def _live(self) -> int:
        return (self.observed - RETENTION) // SEGMENT


def in_order(places: Iterable[Place], *, in_memory: bool) -> list[Place]:
    """Sort as Java's store does: in memory by time, on disk by segment."""

    def by_time(place: Place) -> tuple[int, bytes]:
        key, start, sequence = place
        return start, key.encode() + sequence.to_bytes(4, "big")

    def by_segment(place: Place) -> tuple[int, bytes]:
        key, start, sequence = place
        return start // SEGMENT, key.encode() + start.to_bytes(8, "big") + sequence.to_bytes(4)

    return sorted(places, key=by_time if in_memory else by_segment)


class WindowMachine(RuleBasedStateMachine):
    """Does the same to a store and to the model, and compares what is read."""

    case: EngineCase
    in_memory: bool
    cached: bool
    duplicates: bool

    @initialize()
    def open(self) -> None:
        self.bench = Bench(self.builder(), self.case)
        self.current = Model(self.in_memory, self.duplicates)
        self.committed = self.current.copy()
        self.cache: dict[Place, str | None] = {}
        self.unflushed: dict[Place, str | None] = {}

    def builder(self) -> StoreBuilder:
        return window_store_builder(
            "s",
            serdes.string(),
            serdes.string(),
            retention_ms=RETENTION,
            window_size_ms=SIZE,
            engine="in_memory" if self.in_memory else "rocksdb",
            caching=self.cached,
            timestamped=False,
            retain_duplicates=self.duplicates,
        )

    def teardown(self) -> None:
        if hasattr(self, "bench"):
            self.bench.close()

    @rule(key=KEYS, start=TIMES, value=VALUES)
    def put(self, key: str, start: int, value: str | None) -> None:
        self.bench.face.put(key, value, start)
        if self.cached:
            self.cache[key, start, 0] = value
            self.unflushed.pop((key, start, 0), None)
            self.unflushed[key, start, 0] = value
        else:
            self.current.put(key, start, value)

    @rule()
    def commit(self) -> None:
        self.bench.commit()
        for (key, start, _), value in self.unflushed.items():
            self.current.put(key, start, value)
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

    @rule(key=KEYS, start=TIMES)
    def get(self, key: str, start: int) -> None:
        if not self.duplicates:
            expected = self.seen().get((key, start, 0))
            assert self.bench.face.fetch(key, start) == expected

    @rule(key=KEYS, first=FIRSTS, last=BOUNDS)
    def fetch(self, key: str, first: int, last: int) -> None:
        expected = [
            (place[1], value) for place, value in self.within(first, last) if place[0] == key
        ]
        expected.sort(key=lambda row: row[0])
        assert list(self.bench.face.fetch(key, first, last)) == expected
        assert list(self.bench.face.backward_fetch(key, first, last)) == expected[::-1]

    @rule(key_from=KEYS | NO_KEY, key_to=KEYS | NO_KEY, first=FIRSTS, last=BOUNDS)
    def fetch_range(self, key_from: str | None, key_to: str | None, first: int, last: int) -> None:
        expected = [
            (Windowed(place[0], place[1], place[1] + SIZE), value)
            for place, value in self.within(first, last)
            if (key_from is None or key_from <= place[0]) and (key_to is None or place[0] <= key_to)
        ]
        face = self.bench.face
        assert list(face.fetch_range(key_from, key_to, first, last)) == expected
        assert list(face.backward_fetch_range(key_from, key_to, first, last)) == expected[::-1]

    @invariant()
    def everything_is_read_in_order(self) -> None:
        if not hasattr(self, "bench"):
            return
        expected = [
            (Windowed(place[0], place[1], place[1] + SIZE), value)
            for place, value in self.within(0, 2**63 - 1)
        ]
        assert list(self.bench.face.all()) == expected
        assert list(self.bench.face.backward_all()) == expected[::-1]
        assert self.bench.dropped == self.current.dropped

    @rule(batch=st.integers(1, 5))
    def a_restored_store_is_the_committed_one(self, batch: int) -> None:
        self.commit()
        if self.cached:
            return  # what is only cached is seen here, and not there
        if any(value is None for _, value, _ in self.bench.changelog) and self.duplicates:
            return  # as in Java no value lets time pass only where it is restored
        restored = self.bench.restored(batch)
        assert list(restored.face.all()) == list(self.bench.face.all())

    def seen(self) -> dict[Place, str]:
        """What is cached counts, even if it is too old."""
        seen: dict[Place, Any] = {**self.current.seen(), **self.cache}
        return {place: value for place, value in seen.items() if value is not None}

    def within(self, first: int, last: int) -> list[tuple[Place, str]]:
        seen = self.seen()
        places = in_order(seen, in_memory=self.in_memory)
        return [(place, seen[place]) for place in places if first <= place[1] <= last]


@pytest.mark.parametrize("shape", ["plain", "cached", "duplicates"])
@pytest.mark.parametrize("engine", engine_names())
@pytest.mark.parametrize("kind", ["on disk", "in memory"])
def test_it_behaves_like_a_dict_that_forgets(kind: str, engine: str, shape: str) -> None:
    machine = type(
        "Machine",
        (WindowMachine,),
        {
            "case": ENGINES[engine],
            "in_memory": kind == "in memory",
            "cached": shape == "cached",
            "duplicates": shape == "duplicates",
        },
    )
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=4 if ENGINES[engine].lasts else 25,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("order", ["key", "time", "time_indexed"])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("engine", engine_names())
@pytest.mark.parametrize("kind", ["rocksdb", "in_memory"])
def test_an_iterator_shows_the_rows_of_when_it_was_made(
    kind: BuiltInEngine, engine: str, cached: bool, order: ReadOrder
) -> None:
    builder = window_store_builder(
        "s", serdes.string(), serdes.string(),
        retention_ms=120_000, window_size_ms=SIZE, engine=kind, caching=cached,
        timestamped=False, order=order,
    )  # fmt: skip
    bench = Bench(builder, ENGINES[engine])
    face = bench.face
    face.put("a", "1", 30_000)
    bench.commit()
    face.put("a", "2", 120_000)
    times = 0, 120_000
    open_now: dict[str, Callable[[], Any]] = {
        "fetch": lambda: face.fetch("a", *times),
        "backward_fetch": lambda: face.backward_fetch("a", *times),
        "fetch_range": lambda: face.fetch_range("a", "b", *times),
        "backward_fetch_range": lambda: face.backward_fetch_range(None, "b", *times),
        "fetch_all": lambda: face.fetch_all(*times),
        "backward_fetch_all": lambda: face.backward_fetch_all(*times),
        "all": face.all,
        "backward_all": face.backward_all,
    }
    expected = {name: list(rows()) for name, rows in open_now.items()}
    assert {len(rows) for rows in expected.values()} == {2}
    opened = {name: rows() for name, rows in open_now.items()}
    face.put("a", "3", 150_000)
    face.put("a", "changed", 120_000)
    bench.commit()
    face.put("b", "4", 400_000)
    bench.commit()
    assert {name: list(rows) for name, rows in opened.items()} == expected
    bench.close()


@pytest.mark.parametrize("last", [-1, -90_000, -(2**63)])
@pytest.mark.parametrize("order", ["key", "time", "time_indexed"])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("kind", ["rocksdb", "in_memory"])
def test_nothing_is_before_time_began(
    kind: BuiltInEngine, cached: bool, order: ReadOrder, last: int
) -> None:
    builder = window_store_builder(
        "s", serdes.string(), serdes.string(),
        retention_ms=120_000, window_size_ms=SIZE, engine=kind, caching=cached,
        timestamped=False, order=order,
    )  # fmt: skip
    bench = Bench(builder, ENGINES["memory"])
    face = bench.face
    for start in (0, 30_000, 120_000):
        face.put("a", "1", start)
        if not start:
            bench.commit()
    for first in (-(2**63), -90_000, -1, 0, 30_000):
        for found in (
            face.fetch("a", first, last),
            face.backward_fetch("a", first, last),
            face.fetch_range("a", "b", first, last),
            face.backward_fetch_range(None, "b", first, last),
            face.fetch_all(first, last),
            face.backward_fetch_all(first, last),
        ):
            assert list(found) == []
        assert (first >= 0) or face.fetch("a", first) is None
