"""Fields that a document does not have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from penstock import serdes


@dataclass
class Coin:
    cents: int = 1
    kind: str = "EUR"


@dataclass(frozen=True)
class Frozen:
    a: int
    b: int = 2


@dataclass(slots=True)
class Slotted:
    a: int
    b: int = 2


class Struct(msgspec.Struct):
    coin: Coin
    note: str = "-"


@dataclass
class Purse:
    coins: list[Coin] = field(default_factory=list)
    by_name: dict[str, Coin] = field(default_factory=dict)
    last: Coin | None = None
    inner: Purse | None = None


@pytest.mark.parametrize(
    ("of", "data", "written"),
    [
        (Coin, b"{}", b'{"cents":1,"kind":"EUR"}'),
        (Coin, b'{"kind":"USD"}', b'{"cents":1,"kind":"USD"}'),
        (Frozen, b'{"a":1}', b'{"a":1,"b":2}'),
        (Slotted, b'{"a":1}', b'{"a":1,"b":2}'),
        (Struct, b'{"coin":{}}', b'{"coin":{"cents":1,"kind":"EUR"},"note":"-"}'),
        (list[Coin], b"[{}]", b'[{"cents":1,"kind":"EUR"}]'),
        (Coin | None, b"null", b"null"),
        (
            Purse,
            b'{"coins":[{}],"by_name":{"a":{}},"last":{},"inner":{"coins":[{}]}}',
            b'{"coins":[{"cents":1,"kind":"EUR"}],"by_name":{"a":{"cents":1,"kind":"EUR"}},'
            b'"last":{"cents":1,"kind":"EUR"},'
            b'"inner":{"coins":[{"cents":1,"kind":"EUR"}],"by_name":{},"last":null,"inner":null}}',
        ),
    ],
    ids=str,
)
def test_defaults_are_part_of_what_was_read(of: Any, data: bytes, written: bytes) -> None:
    serde = serdes.json(of)
    value = serde.decode(data)
    assert serde.encode(value) == written
    assert serde.decode(written) == value


def test_equal_values_have_equal_bytes() -> None:
    serde = serdes.json(Coin)
    assert serde.encode(serde.decode(b"{}")) == serde.encode(Coin())
