"""The contract: what a serde of a user gets from `Serde`, and what the runtime may rely on."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import serdes
from penstock.serdes import HeaderPairs, Serde

BUILT_IN: list[Serde[Any]] = [
    serdes.string(),
    serdes.bytes(),
    serdes.short(),
    serdes.integer(),
    serdes.long(),
    serdes.float(),
    serdes.double(),
    serdes.boolean(),
    serdes.uuid(),
    serdes.void(),
    serdes.json(),
    serdes.json(dict[str, int]),
    serdes.of(str.encode, bytes.decode),
]


class Reversed(Serde[str]):
    """The simple way to write a serde."""

    def encode(self, value: str) -> bytes:
        return value[::-1].encode()

    def decode(self, data: bytes) -> str:
        return data.decode()[::-1]


class Versioned(Serde[str]):
    """The full way: bytes depend on topic and headers, and None has bytes of its own."""

    def serialize(self, topic: str, value: str | None, headers: HeaderPairs = ()) -> bytes:
        return f"{topic} {dict(headers)} {value}".encode()

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> str:
        return f"{topic} {dict(headers)} {data!r}"


def test_serialize_and_deserialize_use_encode_and_decode() -> None:
    assert Reversed().serialize("t", "abc") == b"cba"
    assert Reversed().deserialize("t", b"cba") == "abc"


def test_none_stays_none() -> None:
    assert Reversed().serialize("t", None) is None
    assert Reversed().deserialize("t", None) is None


def test_a_serde_may_use_topic_and_headers_and_write_none() -> None:
    assert Versioned().serialize("t", None, (("v", b"1"),)) == b"t {'v': b'1'} None"
    assert Versioned().deserialize("t", None, (("v", b"1"),)) == "t {'v': b'1'} None"


def test_a_serde_that_overrides_nothing_says_what_to_override() -> None:
    with pytest.raises(NotImplementedError, match=r"Versioned must override encode\(\)"):
        Versioned().encode("a")
    with pytest.raises(NotImplementedError, match=r"Versioned must override decode\(\)"):
        Versioned().decode(b"a")


@pytest.mark.parametrize("serde", BUILT_IN, ids=repr)
def test_built_in_serdes_can_be_run_by_encode_and_decode_alone(serde: Serde[Any]) -> None:
    assert type(serde).serialize is Serde.serialize
    assert type(serde).deserialize is Serde.deserialize


@pytest.mark.parametrize("serde", BUILT_IN, ids=repr)
def test_built_in_serdes_keep_none(serde: Serde[Any]) -> None:
    assert serde.serialize("t", None) is None
    assert serde.deserialize("t", None) is None


def test_serdes_are_equal_if_their_calls_are() -> None:
    assert serdes.long() == serdes.long()
    assert hash(serdes.long()) == hash(serdes.long())
    assert serdes.json(list[int]) == serdes.json(list[int])
    assert len(set(BUILT_IN)) == len(BUILT_IN)
    text: object = "serdes.long()"
    assert serdes.long() != text


def test_repr_is_the_call() -> None:
    calls = [repr(serde) for serde in BUILT_IN]

    assert calls == [
        "serdes.string()",
        "serdes.bytes()",
        "serdes.short()",
        "serdes.integer()",
        "serdes.long()",
        "serdes.float()",
        "serdes.double()",
        "serdes.boolean()",
        "serdes.uuid()",
        "serdes.void()",
        "serdes.json()",
        "serdes.json(dict[str, int])",
        "serdes.of(str.encode, bytes.decode)",
    ]
