"""Rows leave as records, in Python and in C: the same records."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.output.row_sender import (
    PlainRowSender,
    RowSender,
    Target,
    log_to,
    log_with_headers_to,
    log_with_own_time_to,
    log_without_time_to,
)
from penstock._engine.state.codec import pack_timestamp

FORMS = list(dict.fromkeys([PlainRowSender, RowSender]))

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


def test_a_changelog_record_has_the_time_of_the_record_in_hand() -> None:
    sent: list[object] = []
    log_to(sent.append, "log", 3)(b"a", b"1", 5, ())
    assert sent == [("log", 3, b"a", b"1", 5, ())]


def test_a_value_with_a_time_is_logged_without_it_but_under_it() -> None:
    sent: list[object] = []
    log = log_with_own_time_to(sent.append, "log", 3)
    log(b"a", pack_timestamp(9) + b"1", 5, ())
    log(b"a", None, 5, ())
    assert sent == [("log", 3, b"a", b"1", 9, ()), ("log", 3, b"a", None, 5, ())]


def test_a_record_of_a_subscription_or_a_join_keeps_its_headers() -> None:
    sent: list[object] = []
    log_with_headers_to(sent.append, "log", 3)(b"a", None, 5, HEADERS)
    assert sent == [("log", 3, b"a", None, 5, HEADERS)]


def test_a_value_that_holds_its_time_is_logged_with_the_time_of_sending() -> None:
    sent: list[object] = []
    log_without_time_to(sent.append, "log", 3)(b"a", b"1", HEADERS)
    assert sent == [("log", 3, b"a", b"1", None, HEADERS)]
