"""Between values and the bytes of a store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from penstock import ValueAndTimestamp, serdes
from penstock._engine.control.protocol.messages import WorkerFailure
from penstock._engine.state.codec import (
    CodedState,
    pack_timestamp,
    plain_codec,
    timestamp_of,
    timestamped_codec,
    wrong_type,
)
from penstock._engine.state.header_codec import values_behind_headers
from penstock.errors import SerializationError, StateError, StateUnreadableError, StreamsError
from penstock.serdes import Serde
from penstock.serdes.contract import HeaderPairs

PLAIN = plain_codec("app-s-changelog", serdes.string(), serdes.long())


class ByTopic(Serde[str]):
    """A serde that looks at the topic."""

    def serialize(self, topic: str, value: str | None, headers: HeaderPairs = ()) -> bytes | None:
        return f"{topic}:{value}".encode()

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> str | None:
        return None if data is None else data.decode().removeprefix(f"{topic}:")


def test_plain_serdes_stand_alone() -> None:
    assert PLAIN.encode_key("a") == b"a"
    assert PLAIN.decode_value(PLAIN.encode_value(5) or b"") == 5


def test_a_serde_that_looks_at_the_topic_is_told_the_changelog_s() -> None:
    codec = plain_codec("app-s-changelog", ByTopic(), ByTopic())
    assert codec.encode_key("a") == b"app-s-changelog:a"
    assert codec.decode_value(b"app-s-changelog:x") == "x"


def test_a_time_is_eight_bytes_before_the_value() -> None:
    codec = timestamped_codec(PLAIN)
    stored = codec.encode_value(ValueAndTimestamp(1, 258))
    assert stored == bytes.fromhex("0000000000000102 0000000000000001")
    assert codec.decode_value(stored) == ValueAndTimestamp(1, 258)
    assert timestamp_of(stored) == 258


@pytest.mark.parametrize(
    ("serde", "values"),
    [
        (serdes.long(), [0, -5, 2**63 - 1]),
        (serdes.integer(), [7, -(2**31)]),
        (serdes.short(), [7]),
        (serdes.double(), [0.5, 3, -0.0, float("inf")]),
        (serdes.float(), [0.5, 3]),
        (serdes.string(), ["", "a"]),
        (serdes.json(), [{"a": 1}, [], 5]),
    ],
    ids=repr,
)
def test_a_row_is_a_time_and_a_value(serde: Serde[Any], values: list[Any]) -> None:
    codec = plain_codec("app-s-changelog", serdes.string(), serde)
    for value in values:
        row = codec.encode_row(value, 258)
        assert row == pack_timestamp(258) + serde.encode(value)
        assert codec.decode_row(row) == (258, serde.decode(row[8:]))


@pytest.mark.parametrize(
    ("serde", "wrong"),
    [
        (serdes.long(), 2**63),
        (serdes.long(), True),
        (serdes.long(), "5"),
        (serdes.short(), 2**15),
        (serdes.float(), 1e300),
        (serdes.double(), True),
    ],
    ids=repr,
)
def test_a_row_of_a_number_that_does_not_fit_is_refused_as_the_number_is(
    serde: Serde[Any], wrong: object
) -> None:
    codec = plain_codec("app-s-changelog", serdes.string(), serde)
    with pytest.raises((SerializationError, TypeError)) as plainly:
        serde.encode(wrong)
    with pytest.raises(plainly.type) as in_a_row:
        codec.encode_row(wrong, 5)
    assert str(in_a_row.value) == str(plainly.value)


def test_a_row_of_another_length_is_explained() -> None:
    with pytest.raises(SerializationError, match="expected 8 bytes, got 3: 61 62 63"):
        PLAIN.decode_row(pack_timestamp(5) + b"abc")


def test_a_time_may_be_negative() -> None:
    assert timestamp_of(pack_timestamp(-1)) == -1


def test_no_value_has_no_bytes_whatever_its_time() -> None:
    assert timestamped_codec(PLAIN).encode_value(ValueAndTimestamp(None, 5)) is None


@pytest.mark.parametrize("wrong", [5, "ab", (1, 2, 3)])
def test_a_value_without_a_time_is_refused(wrong: object) -> None:
    with pytest.raises(StreamsError, match=r"takes ValueAndTimestamp\(value, timestamp\); got"):
        timestamped_codec(PLAIN).encode_value(wrong)


def test_a_serde_that_does_not_fit_is_explained() -> None:
    text = str(wrong_type("counts", "value", 5, TypeError("serdes.string() writes str; got int")))
    assert text == (
        "state store 'counts' has a value serde that does not fit: got int 5; serdes.string() "
        "writes str; got int; pass the right one: Materialized(value=...), or set "
        "'default.value.serde'"
    )


@dataclass
class Account:
    cents: int


def test_a_value_of_another_type_is_told_with_its_store_and_what_to_do() -> None:
    codec = plain_codec("app-s-changelog", serdes.string(), serdes.json(Account), "store 's'")
    with pytest.raises(StateUnreadableError) as caught:
        codec.decode_value(b'{"euros":1}')
    assert str(caught.value) == (
        "a value of store 's' cannot be read: cannot read JSON as Account: Object missing required "
        "field `cents`; data: b'{\"euros\":1}'; if its type has changed, a field that is new must "
        "have a default, and one that was there must keep its type: change the type so that it "
        "reads both, or begin anew: penstock reset"
    )


def _refuse(data: bytes) -> Any:
    msg = "not mine"
    raise ValueError(msg)


@pytest.mark.parametrize(
    "serde",
    [
        serdes.long(),
        serdes.double(),
        serdes.boolean(),
        serdes.uuid(),
        serdes.json(int),
        serdes.list_of(serdes.long()),
        serdes.time_windowed(serdes.long(), 10),
        serdes.of(str.encode, _refuse),
    ],
    ids=repr,
)
def test_whatever_serde_cannot_read_own_state_raises_the_same(serde: Serde[Any]) -> None:
    codec = plain_codec("app-s-changelog", serde, serde, "store 's'")
    for decode, what in [(codec.decode_key, "key"), (codec.decode_value, "value")]:
        with pytest.raises(StateUnreadableError, match=f"a {what} of store 's' cannot be read: "):
            decode(b"no")
    with pytest.raises(StateUnreadableError, match="a value of store 's'"):
        codec.decode_row(pack_timestamp(5) + b"no")
    behind_headers = values_behind_headers("app-s-changelog", codec)
    with pytest.raises(StateUnreadableError, match=r"^a value of store 's' cannot be read"):
        behind_headers.decode_value(b"\0no")
    with pytest.raises(StateUnreadableError, match="a key of store 's'"):
        behind_headers.decode_key(b"no")


@pytest.mark.parametrize(
    "fault", [ConnectionError("refused"), MemoryError(), StreamsError("503")], ids=repr
)
def test_an_outage_is_not_state_that_cannot_be_read(fault: Exception) -> None:
    """No handler may skip the record, but another worker may read the state."""

    def fail(data: bytes) -> Any:
        raise fault

    codec = plain_codec("t", serdes.string(), serdes.of(str.encode, fail), "store 's'")
    with pytest.raises(StateError, match=r"^a value of store 's' cannot be read now: ") as caught:
        codec.decode_value(b"5")
    assert not isinstance(caught.value, StateUnreadableError)
    assert caught.value.__cause__ is fault
    assert not WorkerFailure.of(caught.value).is_final


def test_rows_that_came_from_a_topic_of_the_users_fail_as_its_records_do() -> None:
    codec = plain_codec("rows", serdes.string(), serdes.json(Account))
    with pytest.raises(SerializationError, match="cannot read JSON as Account"):
        codec.decode_value(b'{"euros":1}')


def test_a_value_in_hand_that_cannot_be_read_back_is_not_state() -> None:
    state = CodedState("s", plain_codec("t", serdes.string(), serdes.json(Account), "store 's'"))
    with pytest.raises(SerializationError, match="cannot read JSON as Account"):
        state.copy(Account("5"))  # type: ignore[arg-type]
    assert state.copy(Account(5)) == Account(5)
    assert state.copy(None) is None
