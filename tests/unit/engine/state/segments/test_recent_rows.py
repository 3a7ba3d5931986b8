"""What is known of the rows of keys: the engine is asked once, and the answers stay right."""

from __future__ import annotations

import gc
import sys
import weakref
from random import Random

import pytest

from penstock._engine.fast.choice import compiled
from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.segments import recent_rows
from penstock._engine.state.segments.recent_rows import RecentRows, Row

TAIL = 8
OBSERVED = 1_000_000
"""Later than all rows of a test: none is known unless it was asked for."""


def row_key(prefix: bytes, time: int) -> bytes:
    return prefix + pack_timestamp(time)


class Bench:
    """An engine that counts how often it is asked, and what is known above it."""

    def __init__(self, observed: int = OBSERVED, *, plainly: bool = False) -> None:
        self.asked = 0
        self._note = RecentRows.note if plainly else recent_rows.note
        self.committed: dict[bytes, bytes] = {}
        self.written: dict[bytes, bytes | None] = {}
        self.recent = RecentRows(self._read, TAIL, {}, observed)

    def write(self, prefix: bytes, time: int, row: bytes | None) -> None:
        key = row_key(prefix, time)
        self.written[key] = row
        self._note(self.recent, key, row)

    def commit(self) -> None:
        self.committed = self._now()
        self.written.clear()
        self.recent.committed()

    def collect(self, prefix: bytes, start: int, end: int, *, to_the_last: bool) -> list[int]:
        found = self.recent.collect(
            prefix, pack_timestamp(start), pack_timestamp(end), to_the_last=to_the_last
        )
        now = self._now()
        assert found == [(key, now[key]) for key, _ in found]
        return [int.from_bytes(key[-TAIL:], "big") for key, _ in found]

    def expected(self, prefix: bytes, start: int, end: int) -> list[int]:
        times = (int.from_bytes(key[-TAIL:], "big") for key in self._now() if key[:-TAIL] == prefix)
        return sorted(time for time in times if start <= time < end)

    def _now(self) -> dict[bytes, bytes]:
        both = {**self.committed, **self.written}
        return {key: row for key, row in both.items() if row is not None}

    def _read(self, first: bytes, last: bytes) -> list[Row]:
        self.asked += 1
        return sorted(row for row in self.committed.items() if first <= row[0] < last)


def test_the_engine_is_asked_once_for_a_key() -> None:
    bench = Bench()
    bench.write(b"a", 5, b"five")
    bench.commit()
    for time in range(6, 12):
        assert bench.collect(b"a", 5, time, to_the_last=True) == list(range(5, time))
        bench.write(b"a", time, b"later")
        bench.commit()
    assert bench.asked == 1


def test_an_earlier_time_is_asked_for_again() -> None:
    bench = Bench()
    bench.write(b"a", 1, b"one")
    bench.write(b"a", 5, b"five")
    bench.commit()
    assert bench.collect(b"a", 5, 6, to_the_last=True) == [5]
    assert bench.collect(b"a", 0, 6, to_the_last=True) == [1, 5]
    assert bench.asked == 2


def test_what_lies_behind_an_answer_is_not_taken_for_absent() -> None:
    bench = Bench()
    bench.write(b"a", 1, b"one")
    bench.write(b"a", 5, b"five")
    bench.commit()
    assert bench.collect(b"a", 0, 3, to_the_last=False) == [1]
    assert bench.collect(b"a", 0, 9, to_the_last=True) == [1, 5]


def test_no_more_is_known_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_rows, "_KNOWN_MAX", 20)
    bench = Bench()
    assert bench.collect(b"a", 0, 1, to_the_last=True) == []
    for time in range(100):
        # Nobody asks for them any more.
        bench.write(b"a", time, b"row")
        assert bench.recent.count() <= 20
    assert bench.collect(b"a", 95, 100, to_the_last=True) == [95, 96, 97, 98, 99]


def test_the_engine_is_not_asked_for_times_that_came_after_all_that_was_there() -> None:
    bench = Bench(observed=10)
    bench.committed = {row_key(b"a", 10): b"before"}
    bench.write(b"a", 11, b"eleven")
    bench.commit()
    assert bench.collect(b"a", 11, 20, to_the_last=False) == [11]
    assert bench.collect(b"b", 11, 20, to_the_last=True) == []
    assert bench.asked == 0
    assert bench.collect(b"a", 10, 20, to_the_last=True) == [10, 11]
    assert bench.asked == 1


def test_behind_the_last_millisecond_nothing_is_known() -> None:
    last = 2**63 - 1
    bench = Bench(observed=last)
    bench.committed = {row_key(b"a", last - 1): b"before"}
    assert bench.collect(b"a", last - 1, last, to_the_last=True) == [last - 1]
    bench.write(b"a", last, b"again")


def test_the_later_half_stays_known_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recent_rows, "_KNOWN_MAX", 100)
    bench = Bench(observed=-1)
    for time in range(51):
        bench.write(b"%d" % time, time, b"row")
    bench.commit()
    assert bench.collect(b"49", 40, 51, to_the_last=True) == [49]
    assert bench.collect(b"3", 40, 51, to_the_last=True) == []
    assert bench.asked == 0
    assert bench.collect(b"3", 0, 51, to_the_last=True) == [3]
    assert bench.asked == 1


@pytest.mark.parametrize("plainly", [True, False])
def test_nothing_that_was_noted_stays(plainly: bool) -> None:
    """A reference too many, and a worker would grow with each row."""
    bench = Bench(-1, plainly=plainly)
    key, row = row_key(b"a key of its own", 5), b"a row of its own"
    before = sys.getrefcount(key), sys.getrefcount(row)
    for _ in range(10):
        bench._note(bench.recent, key, row)
        bench.recent.collect(key[:-TAIL], pack_timestamp(0), pack_timestamp(9), to_the_last=True)
        bench._note(bench.recent, key, None)
        bench.recent.committed()
    assert (sys.getrefcount(key), sys.getrefcount(row)) == before


@pytest.mark.parametrize("plainly", [True, False])
def test_a_circle_is_let_go(plainly: bool) -> None:
    bench = Bench(-1, plainly=plainly)
    bench.write(b"a", 5, b"row")
    gone = weakref.ref(bench)
    del bench
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_c_refuses_what_is_no_tail() -> None:
    bench = Bench(-1)
    bench.recent.young[b"a"] = 7  # type: ignore[assignment]
    with pytest.raises(TypeError):
        bench.write(b"a", 5, b"row")
    with pytest.raises(TypeError):
        compiled.Tail(b"a", [])  # type: ignore[arg-type]


@pytest.mark.parametrize("plainly", [True, False])
@pytest.mark.parametrize("observed", [-1, 40, OBSERVED])
@pytest.mark.parametrize(
    ("looked_through", "known"), [(16, 50_000), (2, 50_000), (2, 16), (2, 40), (2, 80)]
)
def test_answers_are_those_of_the_engine(
    monkeypatch: pytest.MonkeyPatch, looked_through: int, known: int, observed: int, plainly: bool
) -> None:
    monkeypatch.setattr(recent_rows, "_LOOKED_THROUGH_MAX", looked_through)
    monkeypatch.setattr(recent_rows, "_KNOWN_MAX", known)
    # The second key goes on as a row key of the first one does.
    keys = (b"a", b"a" + pack_timestamp(7), b"b", b"c", b"d", b"e")
    draw, bench = Random(looked_through * known), Bench(observed, plainly=plainly)
    latest = min(observed, 40)
    for prefix in keys:
        bench.committed |= {row_key(prefix, time): b"before" for time in range(0, latest + 1, 10)}
    for _ in range(2_500):
        prefix, time = draw.choice(keys), max(0, latest + draw.randint(-20, 2))
        latest = max(latest, time)
        match draw.randrange(8):
            case 0:
                bench.commit()
            case 1:
                bench.write(prefix, time, None)
            case 2 | 3 | 4:
                bench.write(prefix, time, b"%d" % draw.randrange(1000))
            case _:
                to_the_last = draw.random() < 0.7
                end = latest + 1 if to_the_last else time + draw.randrange(10)
                found = bench.collect(prefix, time, end, to_the_last=to_the_last)
                assert found == bench.expected(prefix, time, end)
        young = bench.recent.young.values()
        assert bench.recent.young_count == sum(1 + len(tail.rows) for tail in young)
        assert bench.recent.count() <= known
