"""Outputs are cut into transactions in the same places each time; of a changelog the last value of
a key is enough.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.kafka.backfill.chunks import Chunk, Chunker, Limits, checksum
from penstock._engine.runtime.records import Output

LIMITS = Limits(outputs=3, outputs_bytes=1000, rows=4, rows_bytes=1000)


def output(topic: str, key: str, value: str | None, partition: int = 0) -> Output:
    return (topic, partition, key.encode(), None if value is None else value.encode(), 0, ())


def cut(outputs: list[Output], sizes: list[int]) -> list[Chunk]:
    """Return all chunks of outputs that are handed over in portions of these sizes."""
    chunker, chunks, at = Chunker(["log"], LIMITS), list[Chunk](), 0
    for size in [*sizes, len(outputs)]:
        chunks += chunker.add(outputs[at : at + size])
        at += size
    return [*chunks, chunker.rest()]


def test_outputs_are_cut_by_their_count() -> None:
    outputs = [output("out", "k", str(number)) for number in range(7)]

    chunks = cut(outputs, [])

    assert [len(chunk) for chunk in chunks] == [3, 3, 1]
    assert [one for chunk in chunks for one in chunk] == outputs


def test_outputs_are_cut_by_their_bytes() -> None:
    chunks = cut([output("out", "k", "x" * 600) for _ in range(4)], [])

    assert [len(chunk) for chunk in chunks] == [2, 2, 0]


def test_of_a_changelog_only_the_last_value_of_a_key_is_written_where_it_was_set() -> None:
    outputs = [output("log", "a", "1"), output("log", "b", "1"), output("log", "a", None)]

    assert cut(outputs, []) == [[outputs[1], outputs[2]]]


def test_a_key_that_is_set_again_and_again_takes_no_more_room() -> None:
    outputs = [output("log", "a", "x" * 600) for _ in range(10)]

    assert cut(outputs, []) == [outputs[-1:]]


def test_keys_of_different_partitions_are_different_rows() -> None:
    outputs = [output("log", "a", "1", 0), output("log", "a", "2", 1)]

    assert cut(outputs, []) == [outputs]


def test_changelog_rows_are_cut_by_the_count_of_their_keys() -> None:
    outputs = [output("log", key, str(turn)) for turn in range(2) for key in "abcde"]

    chunks = cut(outputs, [])

    assert [len(chunk) for chunk in chunks] == [4, 4, 2]


TOPICS = st.sampled_from(["out", "log"])
OUTPUTS = st.lists(st.builds(output, TOPICS, st.sampled_from("abcdef"), st.text(max_size=3)))


@given(OUTPUTS, st.lists(st.integers(0, 5)))
def test_where_outputs_are_cut_does_not_depend_on_the_portions_they_come_in(
    outputs: list[Output], sizes: list[int]
) -> None:
    assert cut(outputs, sizes) == cut(outputs, [])


@given(OUTPUTS)
def test_the_last_value_of_each_key_of_a_changelog_is_written_last(outputs: list[Output]) -> None:
    written = [one for chunk in cut(outputs, []) for one in chunk]

    def last(records: list[Output]) -> dict[bytes | None, Output]:
        return {one[2]: one for one in records if one[0] == "log"}

    assert last(written) == last(outputs)


def test_other_records_have_another_checksum() -> None:
    one, other = [output("out", "k", "1")], [output("out", "k", "2")]

    assert checksum(one, 0) == checksum(one, 0)
    assert checksum(one, 0) != checksum(other, 0)
    assert checksum(one, checksum(one, 0)) != checksum(one, checksum(other, 0))
