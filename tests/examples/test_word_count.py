"""The word count example, in the test driver."""

from __future__ import annotations

from examples.word_count import number, text, topology
from penstock.testing import TopologyTestDriver


def test_words_are_counted_whatever_their_case() -> None:
    with TopologyTestDriver(topology()) as driver:
        lines = driver.create_input_topic("lines", text, text)
        counts = driver.create_output_topic("word-counts", text, number)
        lines.pipe_input("All streams lead to the sea")
        lines.pipe_input("the sea is all streams")
        assert counts.read_key_values() == [
            *((word, 1) for word in ("all", "streams", "lead", "to", "the", "sea")),
            *(("the", 2), ("sea", 2), ("is", 1), ("all", 2), ("streams", 2)),
        ]
