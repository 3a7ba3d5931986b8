"""From a program to tasks and topics, without a cluster."""

from __future__ import annotations

import re

from penstock import (
    Consumed,
    Materialized,
    Repartitioned,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    serdes,
)
from penstock._engine.planner.layout import draft_of, lay_out

TEXT = serdes.string()
CONFIG = StreamsConfig({"application.id": "app"})


def program() -> Topology:
    builder = StreamsBuilder()
    prices = builder.global_table("prices", Consumed(TEXT, TEXT), Materialized("prices"))
    stream = builder.stream("orders", Consumed(TEXT, TEXT))
    joined = stream.join(prices, lambda key, value: value, lambda order, price: order + price)
    joined.repartition(Repartitioned("r", key=TEXT, value=TEXT)).to("out")
    return builder.build()


def test_the_draft_says_which_topics_must_be_counted() -> None:
    draft = draft_of(program(), "app")
    assert draft.topics_to_count == ["orders", "prices"]
    assert draft.task_inputs == ["orders"]
    assert draft.outputs == ["out"]
    assert draft.repartition_topics == {"app-r-repartition": None}
    assert not draft.has_patterns


def test_the_layout_has_tasks_and_internal_topics() -> None:
    layout = lay_out(draft_of(program(), "app"), {"orders": 3, "prices": 1}, CONFIG)
    # Java numbers the sub-topology of the global table, too.
    assert len(layout.tasks) == 6
    assert layout.partition_counts["app-r-repartition"] == 3
    assert list(layout.internal_topics) == ["app-r-repartition", "app-penstock-tasks"]


def test_patterns_match_the_user_s_topics_only() -> None:
    builder = StreamsBuilder()
    builder.stream(re.compile("(app|penstock)-.*"), Consumed(TEXT, TEXT)).to("out")
    draft = draft_of(builder.build(), "app")
    assert draft.has_patterns
    journals = ["penstock-sink-batch-journal", "penstock-sink-x-journal"]
    found = draft.resolved(["app-orders", "app-x-changelog", "other", *journals])
    assert found.topics_to_count == ["app-orders"]
