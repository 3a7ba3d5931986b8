"""The bytes of records are those that Java counts, in both forms."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.metrics import every_store
from conformance.metrics.recorded import java_metrics
from penstock._engine.runtime.sizes import (
    consumed_bytes,
    plain_size_of_records,
    plain_sizes_of_outputs,
    produced,
    size_of_records,
    sizes_of_outputs,
)

PARTS = st.none() | st.binary(max_size=9)
HEADERS = st.lists(st.tuples(st.text(max_size=3), PARTS), max_size=3).map(tuple)
TOPICS = st.sampled_from(["a", "b", "ä", *(f"topic-{number}" for number in range(12))])


def test_bytes_are_java_s() -> None:
    java = {
        metric.tag("topic"): metric.count
        for metric in java_metrics()
        if metric.name == "bytes-consumed-total"
    }
    assert len(java) == 4
    for topic, expected in java.items():
        assert topic is not None
        records: list[Any] = [
            (0, time, key.encode(), value.encode(), ())
            for to, key, value, time in every_store.INPUT
            if to == topic
        ]
        assert consumed_bytes(topic, records) == expected


def test_of_many_records_some_stand_for_all() -> None:
    equal: list[Any] = [(number, 0, b"key", b"value", ()) for number in range(1_001)]
    assert consumed_bytes("in", equal) == 1_001 * (8 + 2 + 20)
    mixed: list[Any] = [(number, 0, b"k", b"v" * (number % 100), ()) for number in range(1_000)]
    assert consumed_bytes("in", mixed) == pytest.approx(1_000 * (1 + 49.5 + 22), rel=0.2)


def test_outputs_by_topic() -> None:
    pair = [("out", None, b"k", b"value", 1, ()), ("log", 0, b"k", None, None, ())]
    outputs: list[Any] = pair * 2
    around = 8 + 8 + 4 + 3
    assert produced(outputs) == {"out": (2, 2 * (6 + around)), "log": (2, 2 * (1 + around))}
    assert produced([]) == {}
    assert consumed_bytes("in", []) == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), PARTS, PARTS, HEADERS)))
def test_both_forms_agree_about_records(records: list[Any]) -> None:
    assert size_of_records(records) == plain_size_of_records(records)


OUTPUTS = st.tuples(TOPICS, st.none(), PARTS, PARTS, st.integers(0, 9), HEADERS)


@given(st.lists(OUTPUTS, max_size=50))
def test_both_forms_agree_about_outputs(outputs: list[Any]) -> None:
    assert sizes_of_outputs(outputs, 1) == plain_sizes_of_outputs(outputs, 1)


@given(st.lists(OUTPUTS, max_size=50), st.integers(1, 12))
def test_both_forms_agree_about_a_sample_of_few_topics(outputs: list[Any], every: int) -> None:
    few = [output for output in outputs if output[0] in {"a", "b", "ä"}]
    assert sizes_of_outputs(few, every) == plain_sizes_of_outputs(few, every)


def test_of_many_outputs_some_stand_for_all() -> None:
    pair = [("out", None, b"k", b"value", 1, ()), ("log", 0, b"key", None, None, ())]
    outputs: list[Any] = pair * 500
    around = 8 + 8 + 4 + 3
    assert produced(outputs) == {"out": (500, 500 * (6 + around)), "log": (500, 500 * (3 + around))}


def test_names_of_topics_that_are_equal_are_one_topic() -> None:
    outputs: list[Any] = [("".join(("o", "ut")), None, b"k", None, 1, ()) for _ in range(20)]
    assert sizes_of_outputs(outputs, 1) == {"out": (20, 20)}


@pytest.mark.parametrize("part", ["text", 7, bytearray(b"x")])
def test_what_the_producer_will_refuse_is_not_refused_here(part: object) -> None:
    outputs: list[Any] = [("out", None, b"k", part, 1, (("h", part),))]
    for sizes_of in (sizes_of_outputs, plain_sizes_of_outputs):
        assert sizes_of(outputs, 1)["out"][0] == 1


def test_a_header_s_name_may_have_lone_surrogates() -> None:
    outputs: list[Any] = [("out", None, b"k", None, 1, (("\ud800", b"v"),))]
    for sizes_of in (sizes_of_outputs, plain_sizes_of_outputs):
        assert sizes_of(outputs, 1) == {"out": (1, 1 + 3 + 1)}
