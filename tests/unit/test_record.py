"""Records and headers."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import FixedKeyRecord, Headers, Record, StreamsError

PAIRS: list[tuple[str, bytes | None]] = [("a", b"1"), ("b", None), ("a", b"2")]


def test_headers_keep_order_and_repeated_keys() -> None:
    headers = Headers(PAIRS)
    assert list(headers) == PAIRS
    assert len(headers) == 3
    assert headers.headers("a") == [b"1", b"2"]
    assert headers.headers("c") == []


def test_the_last_header_of_a_key_wins() -> None:
    headers = Headers(PAIRS)
    assert headers.last_header("a") == b"2"
    assert headers.last_header("b") is None
    assert headers.last_header("c") is None


def test_headers_can_be_added_and_removed() -> None:
    assert list(Headers(PAIRS).remove("a").add("c", b"3")) == [("b", None), ("c", b"3")]


def test_a_copy_of_headers_is_independent() -> None:
    original = Headers(PAIRS)
    Headers(original).add("c", b"3")
    assert list(original) == PAIRS


def test_headers_are_equal_by_content_and_order() -> None:
    assert Headers(PAIRS) == Headers(PAIRS)
    assert hash(Headers(PAIRS)) == hash(Headers(PAIRS))
    assert Headers(PAIRS) != Headers(reversed(PAIRS))
    assert Headers() != ()


@pytest.mark.parametrize(("key", "value"), [("a", "text"), (b"a", b"1"), (None, None), ("a", 1)])
def test_a_header_must_be_text_and_bytes(key: Any, value: Any) -> None:
    with pytest.raises(TypeError, match="a header must be a str key with bytes or None; got"):
        Headers().add(key, value)


def test_with_makes_a_copy() -> None:
    record = Record("k", 1, 5, PAIRS)
    assert record.with_key("x") == Record("x", 1, 5, PAIRS)
    assert record.with_value(2) == Record("k", 2, 5, PAIRS)
    assert record.with_timestamp(6) == Record("k", 1, 6, PAIRS)
    assert record.with_headers(()) == Record("k", 1, 5)
    assert record == Record("k", 1, 5, PAIRS)


def test_a_copy_has_headers_of_its_own() -> None:
    record = Record("k", 1, 5, PAIRS)
    record.with_value(2).headers.add("c", b"3")
    assert list(record.headers) == PAIRS


def test_a_fixed_key_record_keeps_its_kind() -> None:
    record = FixedKeyRecord("k", 1, 5)
    assert record.with_value(2).with_timestamp(6).with_headers(PAIRS) == FixedKeyRecord(
        "k", 2, 6, PAIRS
    )
    assert not hasattr(record, "with_key")


def test_a_record_that_an_earlier_version_pickled_can_be_copied() -> None:
    given = FixedKeyRecord("ann", 5, 60_000)
    fields = ("key", "value", "timestamp", "headers")
    record: FixedKeyRecord[str, int] = FixedKeyRecord.__new__(FixedKeyRecord)
    for name in fields:  # what its pickle has
        setattr(record, name, getattr(given, name))
    assert record.with_value(5).with_timestamp(60_000) == given
    assert record.with_timestamp(0).timestamp == 0
    assert record.with_headers([("trace", b"1")]).headers == Headers([("trace", b"1")])


def test_records_of_different_kinds_are_not_equal() -> None:
    assert Record("k", 1, 5) != FixedKeyRecord("k", 1, 5)
    assert Record("k", 1, 5) != ("k", 1, 5)


def test_a_record_can_be_hashed_if_its_parts_can() -> None:
    assert len({Record("k", 1, 5, PAIRS), Record("k", 1, 5, PAIRS)}) == 1


def test_a_negative_timestamp_is_refused() -> None:
    with pytest.raises(StreamsError, match="timestamp must not be negative; got -1"):
        Record("k", 1, -1)


def test_repr_leaves_out_empty_headers() -> None:
    assert repr(Record("k", 1, 5)) == "Record('k', 1, 5)"
    assert repr(FixedKeyRecord("k", None, 5, [("a", b"1")])) == (
        "FixedKeyRecord('k', None, 5, headers=[('a', b'1')])"
    )
