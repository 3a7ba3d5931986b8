"""Changes of a grouped table on their way through a topic: Java's bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import SerializationError, serdes
from penstock.serdes import HeaderPairs, Serde
from penstock.serdes.changes import ChangeSerde


def ready(inner: Serde[Any] | None) -> Serde[Any]:
    return ChangeSerde(inner).completed(serdes.string, serdes.string)


TEXT = ready(serdes.string())

PARTS = st.one_of(st.none(), st.binary(max_size=300))
CHANGES = st.tuples(PARTS, PARTS).filter(lambda change: change != (None, None))


@given(CHANGES)
def test_what_was_written_is_read(change: tuple[bytes | None, bytes | None]) -> None:
    serde = ready(serdes.bytes())
    assert serde.deserialize("t", serde.serialize("t", change)) == change


@pytest.mark.parametrize(
    ("change", "data"),
    [
        (("new", None), b"new\x01"),
        ((None, "old"), b"old\x00"),
        (("new", "old"), b"\x06newold\x02"),
        (("n" * 63, ""), b"\x7e" + b"n" * 63 + b"\x02"),
        (("n" * 64, "o"), b"\x80\x01" + b"n" * 64 + b"o\x02"),
        (("n" * 8192, "o"), b"\x80\x80\x01" + b"n" * 8192 + b"o\x02"),
    ],
)
def test_the_last_byte_tells_what_is_there(change: tuple[Any, Any], data: bytes) -> None:
    assert TEXT.serialize("t", change) == data
    assert TEXT.deserialize("t", data) == change


@pytest.mark.parametrize("flag", [b"\x00", b"\x01"])
def test_a_flag_for_the_latest_is_read_over(flag: bytes) -> None:
    assert TEXT.deserialize("t", b"old" + flag + b"\x03") == (None, "old")
    assert TEXT.deserialize("t", b"new" + flag + b"\x04") == ("new", None)
    assert TEXT.deserialize("t", b"\x06newold" + flag + b"\x05") == ("new", "old")


@pytest.mark.parametrize("data", [None, b"", b"x\x06", b"x\xff", b"x\x02\x03", b"\x80\x80\x02"])
def test_what_is_no_change_is_refused(data: bytes | None) -> None:
    with pytest.raises(SerializationError):
        TEXT.deserialize("t", data)


def test_a_change_of_nothing_is_refused() -> None:
    with pytest.raises(SerializationError, match="must have a new or an old value"):
        TEXT.serialize("t", (None, None))


class Tagged(Serde[str]):
    """Writes the topic and the headers before each value."""

    def serialize(self, topic: str, value: str | None, headers: HeaderPairs = ()) -> bytes | None:
        return None if value is None else f"{topic}{len(headers)}{value}".encode()

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> str | None:
        return None if data is None else data.decode().removeprefix(f"{topic}{len(headers)}")


def test_a_serde_that_looks_at_the_topic_is_told() -> None:
    serde, headers = ready(Tagged()), (("h", b"1"),)
    data = serde.serialize("t", ("a", "b"), headers)
    assert data == b"\x06t1at1b\x02"
    assert serde.deserialize("t", data, headers) == ("a", "b")
    assert serde.deserialize("t", serde.serialize("t", (None, "b"))) == (None, "b")


def test_without_a_serde_the_values_have_the_default_one() -> None:
    assert ready(None).serialize("t", ("a", None)) == b"a\x01"
    assert repr(ChangeSerde(None)) == "ChangeSerde(None)"
