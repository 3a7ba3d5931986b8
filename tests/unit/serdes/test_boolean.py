"""boolean. The bytes are those of the BooleanSerializer of Kafka's Java clients 4.3.1."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import serdes
from penstock.errors import SerializationError


@pytest.mark.parametrize(("value", "data"), [(True, b"\x01"), (False, b"\x00")])
def test_bytes_are_those_of_java(value: bool, data: bytes) -> None:
    assert serdes.boolean().encode(value) == data
    assert serdes.boolean().decode(data) is value


@pytest.mark.parametrize("value", [1, 0, "true", []])
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="writes bool; got"):
        serdes.boolean().encode(value)


@pytest.mark.parametrize(
    ("data", "got"),
    [(b"", "0 bytes"), (b"\x02", "1 byte: 02"), (b"\x00\x01", "2 bytes: 00 01")],
)
def test_other_bytes_are_refused_as_in_java(data: bytes, got: str) -> None:
    with pytest.raises(SerializationError) as caught:
        serdes.boolean().decode(data)

    assert str(caught.value) == f"cannot read boolean: expected the byte 00 or 01, got {got}"
