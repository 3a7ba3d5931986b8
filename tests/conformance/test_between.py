"""The random programs between DataFrames have inputs that fix what is compared."""

from __future__ import annotations

from conformance.dataframes.between import without_ties
from conformance.fuzz.description import Description


def test_no_two_topics_have_a_timestamp_in_common() -> None:
    given = [("a", 5), ("b", 5), ("a", 6), ("b", 6), ("a", 5), ("b", 5)]
    lines = [{"topic": topic, "timestamp": time} for topic, time in given]
    made = without_ties(Description([], lines)).input
    assert [(line["topic"], line["timestamp"]) for line in made] == [
        ("a", 5), ("b", 6), ("a", 7), ("b", 6), ("a", 5), ("b", 6),
    ]  # fmt: skip
