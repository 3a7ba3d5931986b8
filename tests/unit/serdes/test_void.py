"""void: for keys or values that are always null."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import serdes
from penstock.errors import SerializationError


def test_none_is_written_and_read_as_no_bytes() -> None:
    assert serdes.void().serialize("t", None) is None
    assert serdes.void().deserialize("t", None) is None


@pytest.mark.parametrize("value", [0, "", b""])
def test_values_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="writes only None; got"):
        serdes.void().serialize("t", value)


@pytest.mark.parametrize("data", [b"", b"\x00"])
def test_bytes_are_refused_as_in_java(data: bytes) -> None:
    with pytest.raises(SerializationError, match=r"cannot read void: expected no data \(null\)"):
        serdes.void().deserialize("t", data)
