"""The contract: what a serde of a user gets from `Serde`, and what the runtime may rely on."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock import serdes
from penstock.serdes import HeaderPairs, Serde
from penstock.serdes.contract import decoder_of_good, encoder_of_good, writes_as_stored
from penstock.serdes.plain import StringSerde

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


class Order(msgspec.Struct):
    """A document."""

    cents: int


class OfUser(StringSerde):
    """Derived from one of ours, it may do anything."""


REPLACEABLE = [
    (serdes.string(), "text"),
    (serdes.bytes(), b"bytes"),
    (serdes.long(), 7),
    (serdes.double(), 1.5),
    (serdes.json(), {"any": ["thing"]}),
    (serdes.json(Order), Order(250)),
    (serdes.json(set[int]), {3, 1, 2}),
]


@pytest.mark.parametrize(
    ("serde", "value"), REPLACEABLE, ids=[repr(serde) for serde, _ in REPLACEABLE]
)
def test_good_values_have_the_same_bytes_in_c(serde: Serde[Any], value: Any) -> None:
    decode, good = decoder_of_good(serde), encoder_of_good(serde)
    assert decode is not None
    assert good is not None
    of, encode = good
    assert isinstance(value, of)
    assert encode(value) == serde.encode(value)
    assert decode(serde.encode(value)) == value


@pytest.mark.parametrize("serde", [OfUser(), serdes.uuid(), serdes.time_windowed(OfUser(), 10)])
def test_c_replaces_no_serde_of_a_user_and_none_that_is_rare(serde: Serde[Any]) -> None:
    assert decoder_of_good(serde) is None
    assert encoder_of_good(serde) is None


def test_only_serdes_without_code_of_a_user_write_what_is_stored() -> None:
    assert writes_as_stored(serdes.long(), serdes.long())
    assert not writes_as_stored(serdes.long(), serdes.integer())
    assert not writes_as_stored(serdes.json(), serdes.json())
    assert not writes_as_stored(OfUser(), OfUser())
