"""`penstock topics`: what each topic is to a program. (On a cluster: tests/broker.)"""

from __future__ import annotations

import pytest

from penstock import Consumed, Materialized, Produced, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.kafka.application.topic_listing import TopicFacts
from penstock.cli import main
from penstock.cli.arguments.programs import Application
from penstock.cli.topics import as_text, is_program, roles, rows_of

TEXT = serdes.string()
DEAD = "errors.dead.letter.queue.topic.name"


def application() -> Application:
    builder = StreamsBuilder()
    prices = builder.global_table("prices", Consumed(TEXT, TEXT), Materialized("prices"))
    stream = builder.stream("orders", Consumed(TEXT, TEXT))
    joined = stream.join(prices, lambda key, value: value, lambda order, price: order + price)
    joined.to("out", Produced(TEXT, TEXT))
    return Application(builder.build(), StreamsConfig({"application.id": "shop", DEAD: "dead"}))


def test_roles() -> None:
    others = ["elsewhere", "shop-eu-x-changelog", "shop-eu-penstock-tasks"]
    existing = ["orders", "shop-x-changelog", "shop-penstock-tasks", *others]
    assert roles(application(), existing) == {
        "orders": "input",
        "prices": "global",
        "out": "output",
        "dead": "dead letters",
        "shop-x-changelog": "internal",
        "shop-penstock-tasks": "internal",
    }


def test_what_is_missing_is_shown() -> None:
    facts = [
        TopicFacts("orders", 4, 1, 1200, "delete", 604_800_000),
        TopicFacts("dead", 1, 1, None, "delete", -1),
    ]
    rows = rows_of({"orders": "input", "out": "output", "dead": "dead letters"}, facts)
    assert [row["exists"] for row in rows] == [True, False, True]
    assert as_text(rows) == [
        "topic   role             partitions  copies  offsets  cleanup  retention",
        "orders  input                     4       1    1,200  delete   7 days",
        "out     output, MISSING           -       -        -  -        -",
        "dead    dead letters              1       1        -  delete   forever",
    ]


def test_what_is_to_be_made_must_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topics", "--create"]) == 1
    assert "--create needs names, penstock topics --create NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "expected"),
    [("app.py", True), ("a/app.py:topology", True), ("orders", False), ("orders.v2", False)],
)
def test_a_program_is_no_topic(word: str, expected: bool) -> None:
    assert is_program(word) is expected
