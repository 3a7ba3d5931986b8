"""Raw bytes. Java's ByteArraySerializer passes them through, as ours does."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import serdes


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"text"])
def test_bytes_pass_through_as_the_same_object(data: bytes) -> None:
    assert serdes.bytes().encode(data) is data
    assert serdes.bytes().decode(data) is data


@pytest.mark.parametrize("value", ["text", 5, [1, 2], bytearray(b"a"), memoryview(b"a")])
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        serdes.bytes().encode(value)
