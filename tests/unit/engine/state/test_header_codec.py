"""Rows with headers. That Java writes the same bytes is shown by the conformance cases
`*_store_with_headers*`, whose changelogs and sizes in the cache depend on them.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import AggregationWithHeaders, Headers, ValueTimestampHeaders, serdes
from penstock._engine.state.codec import TIMESTAMP_BYTES, pack_timestamp, plain_codec
from penstock._engine.state.header_codec import (
    end_of_headers,
    headers_codec,
    headers_of,
    pack_headers,
    timed_headers_codec,
    values_behind_headers,
    values_of_headers_codec,
    values_of_timed_headers_codec,
)
from penstock.errors import StreamsError

PLAIN = plain_codec("app-s-changelog", serdes.string(), serdes.string())
PAIRS = st.lists(st.tuples(st.text(max_size=90), st.none() | st.binary(max_size=300)), max_size=5)


def test_sizes_are_zigzag_varints_as_in_java() -> None:
    assert pack_headers(()) == b"\x00"
    # The size 7, one header, a key of 1 byte, a value of 2; then one without a value.
    assert pack_headers([("h", b"xy")]) == b"\x0c" + b"\x02" + b"\x02h" + b"\x04xy"
    assert pack_headers([("h", None)]) == b"\x08" + b"\x02" + b"\x02h" + b"\x01"


@given(PAIRS, st.binary(max_size=20), st.integers(-1, 2**60))
def test_headers_and_times_come_back(pairs: list[Any], value: bytes, timestamp: int) -> None:
    packed = pack_headers(pairs) + value
    assert headers_of(packed) == tuple(pairs)
    assert packed[end_of_headers(packed) :] == value
    row = pack_timestamp(timestamp) + packed
    assert headers_of(row, TIMESTAMP_BYTES) == tuple(pairs)
    assert row[end_of_headers(row, TIMESTAMP_BYTES) :] == value


@given(PAIRS, st.text(max_size=20), st.integers(-1, 2**60))
def test_operators_see_values_whatever_headers_there_are(
    pairs: list[Any], value: str, timestamp: int
) -> None:
    codec = values_behind_headers("app-s-changelog", PLAIN)
    assert (
        codec.encode_row(value, timestamp) == pack_timestamp(timestamp) + b"\x00" + value.encode()
    )
    assert codec.encode_value(value) == b"\x00" + value.encode()
    stored = pack_headers(pairs) + value.encode()
    assert codec.decode_value(stored) == value
    assert codec.decode_row(pack_timestamp(timestamp) + stored) == (timestamp, value)


def test_values_are_seen_with_headers_and_without() -> None:
    entry = ValueTimestampHeaders("x", 258, Headers([("h", b"1"), ("h", None)]))
    row = timed_headers_codec(PLAIN).encode_value(entry)
    assert row is not None
    assert timed_headers_codec(PLAIN).decode_value(row) == entry
    assert values_of_timed_headers_codec(PLAIN).decode_value(row) == "x"
    session = AggregationWithHeaders("x", Headers([("h", b"1")]))
    row = headers_codec(PLAIN).encode_value(session)
    assert row is not None
    assert headers_codec(PLAIN).decode_value(row) == session
    assert values_of_headers_codec(PLAIN).decode_value(row) == "x"


def test_plain_values_are_written_without_time_and_headers() -> None:
    row = values_of_timed_headers_codec(PLAIN).encode_value("x")
    assert row == bytes.fromhex("ffffffffffffffff 00") + b"x"
    assert values_of_headers_codec(PLAIN).encode_value("x") == b"\x00x"


def test_an_entry_without_a_value_has_no_row() -> None:
    assert timed_headers_codec(PLAIN).encode_value((None, 5, Headers())) is None
    assert headers_codec(PLAIN).encode_value((None, Headers())) is None


@pytest.mark.parametrize("given", ["x", ("x", 5), 7, ("x", 5, Headers(), 1), ("x", "5", Headers())])
def test_anything_but_an_entry_is_refused(given: Any) -> None:
    with pytest.raises(StreamsError, match=r"takes ValueTimestampHeaders\(value, timestamp, head"):
        timed_headers_codec(PLAIN).encode_value(given)


def test_anything_but_an_aggregation_is_refused() -> None:
    with pytest.raises(StreamsError, match=r"takes AggregationWithHeaders\(aggregation, headers"):
        headers_codec(PLAIN).encode_value("x")


@pytest.mark.parametrize("headers", [None, 5, "ab", [("h", "text")], [(1, b"x")], {"h": b"x"}])
def test_headers_that_are_none_are_refused(headers: Any) -> None:
    with pytest.raises(StreamsError, match="the headers of a stored value must be Headers"):
        timed_headers_codec(PLAIN).encode_value(ValueTimestampHeaders("x", 5, headers))
