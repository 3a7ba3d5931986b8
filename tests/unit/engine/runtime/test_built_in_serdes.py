"""Which serdes run where nobody can tell, and that they do what the plain way does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock import serdes
from penstock._engine.runtime.built_in_serdes import decoder_of_good, encoder_of_good
from penstock.serdes import Serde
from penstock.serdes.plain import StringSerde


class Order(msgspec.Struct):
    """A document."""

    cents: int


class OfUser(StringSerde):
    """Derived from one of ours, it may do anything."""


OWN = [
    (serdes.string(), "text"),
    (serdes.bytes(), b"bytes"),
    (serdes.long(), 7),
    (serdes.double(), 1.5),
    (serdes.json(), {"any": ["thing"]}),
    (serdes.json(Order), Order(250)),
    (serdes.json(set[int]), {3, 1, 2}),
]


@pytest.mark.parametrize(("serde", "value"), OWN, ids=[repr(serde) for serde, _ in OWN])
def test_good_values_have_the_same_bytes(serde: Serde[Any], value: Any) -> None:
    decode, good = decoder_of_good(serde), encoder_of_good(serde)
    assert decode is not None
    assert good is not None
    of, encode = good
    assert isinstance(value, of)
    assert encode(value) == serde.encode(value)
    assert decode(serde.encode(value)) == value


@pytest.mark.parametrize("serde", [OfUser(), serdes.uuid(), serdes.time_windowed(OfUser(), 10)])
def test_others_are_asked_themselves(serde: Serde[Any]) -> None:
    assert decoder_of_good(serde) is None
    assert encoder_of_good(serde) is None
