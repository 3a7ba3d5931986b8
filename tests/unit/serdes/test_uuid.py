"""uuid.

The bytes were written by the UUIDSerializer of Kafka's Java clients 4.3.1, and what is read and
refused was tried with its UUIDDeserializer, both run once by hand.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import serdes
from penstock.errors import SerializationError

TEXT = "123e4567-e89b-12d3-a456-426614174000"

WRITTEN_BY_JAVA = [
    (UUID(int=0), "30303030303030302d303030302d303030302d303030302d303030303030303030303030"),
    (UUID(TEXT), "31323365343536372d653839622d313264332d613435362d343236363134313734303030"),
    (
        UUID(int=2**128 - 1),
        "66666666666666662d666666662d666666662d666666662d666666666666666666666666",
    ),
]
REFUSED_BY_JAVA = [
    "",
    "x",
    TEXT.replace("-", ""),
    f"{{{TEXT}}}",
    f"urn:uuid:{TEXT}",
    f" {TEXT}",
    f"{TEXT} ",
    "1-2-3-4",
    "1-2-3-4-5-6",
    "1--3-4-5",
]


@pytest.mark.parametrize(("value", "data"), WRITTEN_BY_JAVA)
def test_bytes_are_those_of_java(value: UUID, data: str) -> None:
    assert serdes.uuid().encode(value).hex() == data
    assert serdes.uuid().decode(bytes.fromhex(data)) == value


@settings(derandomize=True, deadline=None)
@given(st.uuids())
def test_uuids_come_back(value: UUID) -> None:
    assert serdes.uuid().decode(serdes.uuid().encode(value)) == value


def test_what_java_reads_is_read() -> None:
    assert serdes.uuid().decode(TEXT.upper().encode()) == UUID(TEXT)
    short = UUID("00000001-0002-0003-0004-000000000005")
    assert serdes.uuid().decode(b"1-2-3-4-5") == short


@pytest.mark.parametrize("text", REFUSED_BY_JAVA)
def test_what_java_refuses_is_refused(text: str) -> None:
    with pytest.raises(SerializationError, match="cannot read UUID: expected text like"):
        serdes.uuid().decode(text.encode())


@pytest.mark.parametrize(
    "data",
    [
        b"123456789-1-1-1-1",  # Java cuts the first group to 23456789
        b"123e4567-e89b-12d3-a456-4266141_4000",  # int() of Python would skip the underscore
        b"123e4567-e89b-12d3-a456-42661417400\xff",
    ],
)
def test_what_is_no_uuid_is_refused(data: bytes) -> None:
    with pytest.raises(SerializationError, match="cannot read UUID"):
        serdes.uuid().decode(data)


@pytest.mark.parametrize("value", [TEXT, 5, b"1"])
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"writes uuid\.UUID; got"):
        serdes.uuid().encode(value)
