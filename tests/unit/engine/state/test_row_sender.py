"""Rows leave as records, in Python and in C: the same records."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.fast.choice import compiled
from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.row_sender import (
    PlainRowSender,
    RowSender,
    Target,
    flush_puts,
    flush_puts_plainly,
)

FORMS = list(dict.fromkeys([PlainRowSender, RowSender]))
FLUSH = dict.fromkeys([flush_puts_plainly, flush_puts])

HEADERS = (("h", b"x"),)


@pytest.mark.parametrize("form", FORMS)
def test_a_row_leaves_without_its_time_but_under_it(form: type[PlainRowSender]) -> None:
    sent: list[Any] = []
    sender = form(sent.append, Target("out"))
    sender.log(b"k", pack_timestamp(9) + b"v", 5, HEADERS)
    sender.on_flush(b"k", pack_timestamp(-1), None, 5, ())
    assert sent == [("out", None, b"k", b"v", 9, HEADERS), ("out", None, b"k", b"", -1, ())]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_gone_has_the_time_of_the_record_in_hand(form: type[PlainRowSender]) -> None:
    sent: list[Any] = []
    form(sent.append, Target("log", 3, keeps_headers=False)).log(b"k", None, 5, HEADERS)
    assert sent == [("log", 3, b"k", None, 5, ())]


@pytest.mark.parametrize("form", FORMS)
def test_the_key_of_a_record_is_in_the_midst_of_a_row_s(form: type[PlainRowSender]) -> None:
    sent: list[Any] = []
    target = Target("out", None, len, before_key=8, behind_key=4)
    form(sent.append, target).on_flush(b"segment-key0000", pack_timestamp(9) + b"v", b"old", 5, ())
    assert sent == [("out", 3, b"key", b"v", 9, ())]


TARGETS = st.builds(
    Target,
    st.just("out"),
    st.none() | st.integers(0, 3),
    st.sampled_from([None, len]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
TIMES = st.integers(-(2**63), 2**63 - 1)
ROWS = st.none() | st.builds(lambda time, value: pack_timestamp(time) + value, TIMES, st.binary())


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(TARGETS, st.binary(min_size=6), ROWS, TIMES, st.sampled_from([(), HEADERS]))
def test_c_sends_the_same(
    target: Target, row_key: bytes, row: bytes | None, timestamp: int, headers: Any
) -> None:
    def sent(form: type[PlainRowSender]) -> list[Any]:
        seen: list[Any] = []
        sender = form(seen.append, target)
        sender.log(row_key, row, timestamp, headers)
        sender.on_flush(row_key, row, b"old", timestamp, headers)
        return seen

    assert sent(RowSender) == sent(PlainRowSender)


@pytest.mark.parametrize("form", FORMS)
def test_what_fails_behind_it_is_told(form: type[PlainRowSender]) -> None:
    def full(_output: Any) -> None:
        raise OverflowError

    with pytest.raises(OverflowError):
        form(full, Target("out")).log(b"k", pack_timestamp(9), 5, ())
    sent: list[Any] = []
    with pytest.raises(ZeroDivisionError):
        form(sent.append, Target("out", None, lambda key: 1 // 0)).log(b"k", None, 5, ())


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_row_stays(form: type[PlainRowSender]) -> None:
    """A reference too many, and a worker would grow with each row."""
    sent: list[Any] = []
    sender = form(sent.append, Target("out", None, len, 1, 1))
    rows = [
        (b"key %d" % n, pack_timestamp(n) + b"v", 10**6 + n, ((f"h{n}", b""),)) for n in range(9)
    ]
    before = [[*map(sys.getrefcount, row)] for row in rows]
    for row_key, row, timestamp, headers in rows:
        sender.log(row_key, row, timestamp, headers)
        sender.on_flush(row_key, None, row, timestamp, headers)
    sent.clear()
    del row_key, row, timestamp, headers
    assert [[*map(sys.getrefcount, row)] for row in rows] == before


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
    sent: list[Any] = []
    sender = FORMS[-1](sent.append, Target("out"))
    changes = [change(b"key %d" % n, pack_timestamp(n) + b"v", 10**6 + n) for n in range(9)]
    before = [[*map(sys.getrefcount, one[:3]), sys.getrefcount(one)] for one in changes]
    for _ in range(3):
        assert flush(changes, kept.__setitem__, sender.log, sender.on_flush) == len(changes)
    kept.clear()
    sent.clear()
    assert [[*map(sys.getrefcount, one[:3]), sys.getrefcount(one)] for one in changes] == before


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@pytest.mark.parametrize("changes", [(), [()], [(b"a", b"1")], ["text of letters"]])
def test_c_refuses_what_is_no_change(changes: Any) -> None:
    with pytest.raises(TypeError):
        flush_puts(changes, lambda key, row: None, None, lambda *told: None)
