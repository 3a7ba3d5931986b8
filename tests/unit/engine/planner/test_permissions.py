"""What an application must be allowed."""

from __future__ import annotations

from typing import Any

from penstock import Consumed, Produced, Repartitioned, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.planner.layout import draft_of, lay_out
from penstock._engine.planner.permissions import (
    Need,
    acl_command,
    listed,
    missing_of,
    needs_of,
    unadvised_of,
)

TEXT = serdes.string()


def needs(**settings: Any) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    stream.repartition(Repartitioned("r", key=TEXT, value=TEXT)).to("out", Produced(TEXT, TEXT))
    builder.global_table("rates", Consumed(TEXT, TEXT))
    config = StreamsConfig({"application.id": "app", **settings})
    layout = lay_out(draft_of(builder.build(), "app"), {"in": 1, "rates": 1}, config)
    return {
        (need.resource, need.name): (sorted(need.operations), sorted(need.advised))
        for need in needs_of(layout, config)
    }


def test_needs() -> None:
    assert needs() == {
        ("topic", "in"): (["READ"], []),
        ("topic", "out"): (["WRITE"], []),
        ("topic", "rates"): (["READ"], []),
        ("topic", "app-r-repartition"): (
            ["CREATE", "READ", "WRITE"],
            ["DELETE", "DESCRIBE_CONFIGS"],
        ),
        ("topic", "app-penstock-tasks"): (
            ["CREATE", "READ", "WRITE"],
            ["ALTER", "DESCRIBE_CONFIGS"],
        ),
        ("group", "app"): (["READ"], []),
    }


def test_exactly_once_needs_transactional_ids() -> None:
    exactly_once = needs(**{"processing.guarantee": "exactly_once_v2"})
    assert exactly_once["transactional-id", "app-"] == (["WRITE"], [])


def test_dead_letters_are_written() -> None:
    assert needs(**{"errors.dead.letter.queue.topic.name": "dead"})["topic", "dead"] == (
        ["WRITE"],
        [],
    )


def test_what_is_missing_comes_with_its_command() -> None:
    need = Need("topic", "in", frozenset({"READ", "WRITE"}), frozenset({"DESCRIBE_CONFIGS"}))
    missing = missing_of(need, ["WRITE", "ALTER"])
    assert missing == ["READ"]
    assert listed({need: missing}) == "READ on topic 'in'"
    assert acl_command(need, missing) == (
        "kafka-acls.sh --add --allow-principal User:YOU --operation Read --topic in"
    )
    unadvised = unadvised_of(need, ["WRITE"])
    assert acl_command(need, unadvised, "User:ada").endswith(
        "User:ada --operation DescribeConfigs --topic in"
    )


def test_a_prefix_is_said_to_be_one() -> None:
    ids = Need("transactional-id", "app-", frozenset({"WRITE"}), prefixed=True)
    assert listed({ids: ["WRITE"]}) == "WRITE on every transactional id that begins with 'app-'"
    assert acl_command(ids, ["WRITE"]).endswith(
        "--operation Write --transactional-id app- --resource-pattern-type prefixed"
    )
