"""The serdes of answers."""

from __future__ import annotations

from typing import Any

from penstock import serdes
from penstock.serdes import Serde
from penstock.serdes.foreign_key import AnswerKeySerde, AnswerSerde, keys_stay_bytes


class WithTopic(Serde[str]):
    def serialize(self, topic: str, value: str | None, headers: Any = ()) -> bytes | None:
        return None if value is None else f"{topic}:{value}".encode()


def none() -> Serde[Any]:
    raise AssertionError


def test_keys_stay_bytes_if_the_topic_makes_no_difference() -> None:
    assert keys_stay_bytes(serdes.string())
    assert not keys_stay_bytes(WithTopic())


def test_bytes_are_written_as_they_are_where_keys_stay_bytes() -> None:
    assert AnswerKeySerde(serdes.string()).completed(none, none) == serdes.bytes()
    assert AnswerKeySerde(None).completed(serdes.long, none) == serdes.bytes()


def test_other_keys_are_written_by_their_own_serde() -> None:
    own = WithTopic()
    assert AnswerKeySerde(own).completed(none, none) is own


def test_an_answer_is_written_without_its_partition() -> None:
    assert AnswerSerde().encode((b"answer", 3)) == b"answer"
    assert AnswerSerde().decode(b"answer") == b"answer"
