"""Rows that a cache flushes, in Python and in C: the same calls."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from penstock._engine.fast.choice import compiled
from penstock._engine.state.cache.flush import flush_puts, flush_puts_plainly
from penstock._engine.state.codec import pack_timestamp

FLUSH = dict.fromkeys([flush_puts_plainly, flush_puts])

HEADERS = (("h", b"x"),)


def change(key: bytes, row: bytes | None, timestamp: int = 5, headers: Any = HEADERS) -> Any:
    return key, row, timestamp, headers, "in", 0, None


@pytest.mark.parametrize("flush", FLUSH)
def test_rows_go_to_store_changelog_and_listener_up_to_one_that_is_gone(flush: Any) -> None:
    changes = [
        change(b"a", b"1"),
        change(b"b", b"2", 7, ()),
        change(b"a", None),
        change(b"c", b"3"),
    ]
    events: list[Any] = []

    def note(name: str) -> Any:
        return lambda *told: events.append((name, *told))

    assert flush(changes, note("put"), note("log"), note("listener")) == 2
    assert events == [
        ("put", b"a", b"1"),
        ("log", b"a", b"1", 5, HEADERS),
        ("listener", b"a", b"1", None, 5, HEADERS),
        ("put", b"b", b"2"),
        ("log", b"b", b"2", 7, ()),
        ("listener", b"b", b"2", None, 7, ()),
    ]
    events.clear()
    assert flush(changes[3:], note("put"), None, note("listener")) == 1
    assert [name for name, *_ in events] == ["put", "listener"]
    assert flush([], note("put"), None, note("listener")) == 0


@pytest.mark.parametrize("flush", FLUSH)
@pytest.mark.parametrize("place", range(3))
def test_an_error_of_any_of_them_comes_out(flush: Any, place: int) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    called: list[Any] = []
    three: list[Any] = [lambda *told: called.append(told)] * 3
    three[place] = fail
    row = b"a row of its own"
    before = sys.getrefcount(row)
    with pytest.raises(ZeroDivisionError):
        flush([change(b"a", row), change(b"b", row)], *three)
    assert len(called) == place
    called.clear()
    assert sys.getrefcount(row) == before


@pytest.mark.parametrize("flush", FLUSH)
def test_nothing_of_what_went_out_stays(flush: Any) -> None:
    kept: dict[bytes, bytes] = {}
    seen: list[Any] = []

    def note(*row: Any) -> None:
        seen.append(row)

    changes = [change(b"key %d" % n, pack_timestamp(n) + b"v", 10**6 + n) for n in range(9)]
    before = [[*map(sys.getrefcount, one[:3]), sys.getrefcount(one)] for one in changes]
    for _ in range(3):
        assert flush(changes, kept.__setitem__, note, note) == len(changes)
    kept.clear()
    seen.clear()
    assert [[*map(sys.getrefcount, one[:3]), sys.getrefcount(one)] for one in changes] == before


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@pytest.mark.parametrize("changes", [(), [()], [(b"a", b"1")], ["text of letters"]])
def test_c_refuses_what_is_no_change(changes: Any) -> None:
    with pytest.raises(TypeError):
        flush_puts(changes, lambda key, row: None, None, lambda *told: None)
