"""The bytes of subscriptions and answers. Those of Java are in the conformance cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.operators.joins.foreign_key_wire import (
    Instruction,
    answer,
    read_answer,
    read_subscription,
    subscribers_of,
    subscription,
)
from penstock.errors import StreamsError

HASH = bytes(range(16))
hashes = st.none() | st.binary(min_size=16, max_size=16)


def test_a_subscription() -> None:
    data = subscription(Instruction.ANSWER_IF_FOUND, HASH, b"key", 7)
    assert data == b"\x01\x03" + HASH + b"key\0\0\0\x07"


def test_a_subscription_of_a_row_that_is_deleted_has_no_hash() -> None:
    assert subscription(Instruction.DELETE_AND_ANSWER, None, b"k", 0) == b"\x81\x01k\0\0\0\0"


@given(st.sampled_from(Instruction), hashes, st.binary(), st.integers(-1, 2**31 - 1))
def test_what_is_written_can_be_read(
    instruction: Instruction, hashed: bytes | None, raw_key: bytes, partition: int
) -> None:
    data = subscription(instruction, hashed, raw_key, partition)
    assert read_subscription(data) == (instruction, hashed, raw_key, partition)


def test_a_subscription_of_the_version_before_does_not_say_where_its_row_is() -> None:
    assert read_subscription(b"\x00\x02" + HASH + b"key") == (2, HASH, b"key", None)


def test_a_subscription_of_a_newer_version_is_refused() -> None:
    with pytest.raises(StreamsError) as caught:
        read_subscription(b"\x02\x02" + HASH)
    assert str(caught.value) == (
        "a subscription of a foreign-key join has version 2, and 1 is the last one known: a newer "
        "program wrote it; run that one, or start with a new 'application.id'"
    )


def test_an_answer() -> None:
    assert answer(HASH, b"value") == b"\0" + HASH + b"value"
    assert answer(HASH, None) == b"\0" + HASH
    assert answer(None, None) == b"\x80"


@given(hashes, st.none() | st.binary(min_size=1))
def test_an_answer_can_be_read(hashed: bytes | None, value: bytes | None) -> None:
    assert read_answer(answer(hashed, value)) == (hashed, value)


def test_an_empty_value_comes_back_as_none_as_in_java() -> None:
    assert read_answer(answer(HASH, b"")) == (HASH, None)


def test_an_answer_of_a_newer_version_is_refused() -> None:
    with pytest.raises(StreamsError, match=r"^an answer .* has version 1, and 0 is the last one"):
        read_answer(b"\x01" + HASH)


def test_a_foreign_key_that_begins_like_another_has_other_subscribers() -> None:
    assert subscribers_of(b"a") == b"\0\0\0\x01a"
    assert not subscribers_of(b"ab").startswith(subscribers_of(b"a"))
