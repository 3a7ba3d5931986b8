"""Lists, with the bytes of Java's ListSerde; `source_of_lists` compares them with Java's own."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import SerializationError, serdes
from penstock.serdes import HeaderPairs, Serde


@given(st.lists(st.none() | st.integers(-(2**31), 2**31 - 1)))
def test_numbers_come_back(numbers: list[int | None]) -> None:
    serde: Serde[Any] = serdes.list_of(serdes.integer())
    assert serde.decode(serde.encode(numbers)) == numbers


@given(st.lists(st.none() | st.text()))
def test_texts_come_back(texts: list[str | None]) -> None:
    serde: Serde[Any] = serdes.list_of(serdes.string())
    assert serde.decode(serde.encode(texts)) == texts


def test_lists_may_hold_lists() -> None:
    serde: Serde[Any] = serdes.list_of(serdes.list_of(serdes.uuid()))
    assert serde.decode(serde.encode([[], None, []])) == [[], None, []]


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    serde = serdes.list_of(serdes.short())
    with suppress(SerializationError):
        assert isinstance(serde.decode(data), list)


@pytest.mark.parametrize("data", [b"", b"\0", b"\2\0\0\0\0", b"\1\x7f\xff\xff\xff", b"\1\0\0\0\0x"])
def test_what_is_no_list_is_refused(data: bytes) -> None:
    with pytest.raises(SerializationError, match=r"^cannot read list: "):
        serdes.list_of(serdes.string()).decode(data)


def test_only_lists_are_written() -> None:
    wrong: Any = "abc"
    with pytest.raises(
        TypeError, match=r"^serdes.list_of\(serdes.string\(\)\) writes list; got str"
    ):
        serdes.list_of(serdes.string()).encode(wrong)
    with pytest.raises(TypeError, match=r"takes the serde of the entries; got <class 'str'>"):
        serdes.list_of(wrong.__class__)


def test_it_is_what_its_call_says() -> None:
    serde = serdes.list_of(serdes.long())
    assert serde == serdes.list_of(serdes.long()) != serdes.list_of(serdes.short())
    assert repr(serde) == "serdes.list_of(serdes.long())"
    assert pickle.loads(pickle.dumps(serde)).encode([1]) == serde.encode([1])


def test_the_serde_of_the_entries_sees_topic_and_headers() -> None:
    class Prefixed(Serde[str]):
        def serialize(
            self, topic: str, value: str | None, headers: HeaderPairs = ()
        ) -> bytes | None:
            return None if value is None else f"{topic} {headers[0][0]} {value}".encode()

        def deserialize(
            self, topic: str, data: bytes | None, headers: HeaderPairs = ()
        ) -> str | None:
            prefix = f"{topic} {headers[0][0]} "
            return None if data is None else data.decode().removeprefix(prefix)

    serde, headers = serdes.list_of(Prefixed()), (("h", b"1"),)
    data = serde.serialize("t", ["a"], headers)
    assert data is not None
    assert data.endswith(b"t h a")
    assert serde.deserialize("t", data, headers) == ["a"]
    assert serde.serialize("t", None, headers) is None
    assert serde.deserialize("t", None, headers) is None
