"""The two lines on a shape."""

from __future__ import annotations

import pytest

from penstock._engine.topology.picture.labels import caption_width, headline_width, label_of
from penstock._engine.topology.picture.scene import Kind, Shape


@pytest.mark.parametrize(
    ("kind", "name", "headline"),
    [
        (Kind.SOURCE, "KSTREAM-SOURCE-0000000000", "source"),
        (Kind.PROCESSOR, "KSTREAM-FILTER-0000000003", "filter"),
        (Kind.PROCESSOR, "KSTREAM-KEY-SELECT-0000000003", "select_key"),
        (Kind.PROCESSOR, "KSTREAM-BRANCH-0000000003", "branch"),
        (Kind.PROCESSOR, "KSTREAM-BRANCH-00000000031", "branch 1"),
        (Kind.PROCESSOR, "KSTREAM-BRANCH-0000000003-large", "branch large"),
        (Kind.PROCESSOR, "KTABLE-SOURCE-0000000002", "table"),
        (Kind.SOURCE, "KTABLE-SOURCE-0000000002", "source"),
        (Kind.PROCESSOR, "COGROUPKSTREAM-MERGE-0000000009", "merge"),
        (Kind.PROCESSOR, "KTABLE-FK-JOIN-OUTPUT-0000000013", "output"),
        (
            Kind.SINK,
            "KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition-sink",
            "repartition-sink",
        ),
        (Kind.STORE, "KSTREAM-AGGREGATE-STATE-STORE-0000000003", "aggregate store"),
        (Kind.STORE, "KSTREAM-JOINTHIS-0000000016-store", "join this store"),
        (Kind.STORE, "ORDERS-STATE-STORE-0000000000", "ORDERS store"),
        (Kind.INTERNAL_TOPIC, "KSTREAM-KEY-SELECT-0000000001-repartition", "repartition"),
        (
            Kind.INTERNAL_TOPIC,
            "KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000014-topic",
            "subscription response",
        ),
    ],
)
def test_a_generated_name_becomes_words(kind: Kind, name: str, headline: str) -> None:
    label = label_of(Shape(kind, name))
    assert label.headline == headline
    assert label.caption.startswith(name[:15])
    assert label.caption.endswith(name[-15:])


@pytest.mark.parametrize(
    ("kind", "caption"),
    [
        (Kind.SOURCE, "source"),
        (Kind.PROCESSOR, "processor"),
        (Kind.SINK, "sink"),
        (Kind.DYNAMIC_SINK, "sink"),
        (Kind.STORE, "state store"),
        (Kind.TOPIC, "topic"),
        (Kind.INTERNAL_TOPIC, "internal topic"),
        (Kind.TOPIC_PATTERN, "topics by pattern"),
        (Kind.DYNAMIC_TOPIC, "topic chosen per record"),
    ],
)
def test_a_given_name_stays_with_its_kind_beneath(kind: Kind, caption: str) -> None:
    label = label_of(Shape(kind, "my-name"))
    assert (label.headline, label.caption) == ("my-name", caption)


def test_an_extractor_loses_the_place_it_was_written_at() -> None:
    shape = Shape(Kind.DYNAMIC_TOPIC, "build.<locals>.by_country")
    assert label_of(shape).headline == "by_country"


def test_a_long_name_loses_its_middle() -> None:
    headline = label_of(Shape(Kind.TOPIC, "first-" + "x" * 100 + "-last")).headline
    head, tail = headline.split("\u2026")
    assert head.startswith("first-")
    assert tail.endswith("-last")


@pytest.mark.parametrize("text", ["W" * 500, "i" * 5000, "\u6f22" * 50, "-", "", "a\n\tb"])
def test_both_lines_fit(text: str) -> None:
    label = label_of(Shape(Kind.PROCESSOR, text))
    assert headline_width(label.headline) <= label.width
    assert caption_width(label.caption) <= label.width
    assert label.width <= 232
