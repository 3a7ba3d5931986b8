"""What an application must be allowed."""

from __future__ import annotations

from penstock import Consumed, Produced, Repartitioned, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.planner.layout import Layout, draft_of, lay_out
from penstock._engine.planner.permissions import Need, acl_command, missing_of, needs_of

TEXT = serdes.string()
EXISTING = ["in", "out", "app-r-repartition", "app-penstock-tasks"]


def layout() -> Layout:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    stream.repartition(Repartitioned("r", key=TEXT, value=TEXT)).to("out", Produced(TEXT, TEXT))
    config = StreamsConfig({"application.id": "app"})
    return lay_out(draft_of(builder.build(), "app"), {"in": 1}, config)


def test_needs() -> None:
    needs = {
        (need.resource, need.name): sorted(need.operations) for need in needs_of(layout(), EXISTING)
    }
    assert needs == {
        ("topic", "in"): ["DESCRIBE", "READ"],
        ("topic", "out"): ["DESCRIBE", "WRITE"],
        ("topic", "app-r-repartition"): ["DELETE", "DESCRIBE", "READ", "WRITE"],
        ("topic", "app-penstock-tasks"): ["DESCRIBE", "READ", "WRITE"],
        ("group", "app"): ["DESCRIBE", "READ"],
    }


def test_topics_that_are_missing_must_be_made() -> None:
    assert needs_of(layout(), ["in", "out"])[-1] == Need("cluster", "", frozenset({"CREATE"}))


def test_what_is_missing_comes_with_its_command() -> None:
    need = Need("topic", "in", frozenset({"READ", "DESCRIBE"}))
    missing = missing_of(need, ["DESCRIBE", "ALTER"])
    assert missing == ["READ"]
    assert acl_command(need, missing) == (
        "kafka-acls.sh --add --allow-principal User:YOU --operation Read --topic in"
    )
    create = Need("cluster", "", frozenset({"CREATE"}))
    assert acl_command(create, ["CREATE"]).endswith("--operation Create --cluster")
