"""`penstock reset`: what it understands and what it shows. (On a cluster: tests/broker.)"""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    serdes,
)
from penstock._engine.planner.internal_topics import NamedTopics
from penstock._engine.planner.reset import OffsetChange, ResetPlan, ResetRequest, Target
from penstock.cli import build_parser, main
from penstock.cli.reset import as_text, read_offsets, wish_of
from penstock.errors import StreamsError

TEXT = serdes.string()
NOW_MS = 10_000_000
CONFIG = StreamsConfig({"application.id": "app"})
NAMED = NamedTopics(frozenset({"in", "back"}))


def loop() -> Topology:
    builder = StreamsBuilder()
    builder.stream(["in", "back"], Consumed(TEXT, TEXT)).to("back", Produced(TEXT, TEXT))
    return builder.build()


def given(*arguments: str) -> argparse.Namespace:
    return build_parser().parse_args(["reset", "app.py", *arguments])


def test_the_program_says_its_inputs_and_what_it_reads_back() -> None:
    wish = wish_of(given(), loop(), CONFIG, NOW_MS)
    assert wish == ResetRequest("app", ("in",), ("back",), named=NAMED)


def test_it_names_all_topics_of_the_user_s_and_those_it_makes() -> None:
    builder = StreamsBuilder()
    builder.global_table("prices", Consumed(TEXT, TEXT), Materialized("prices"))
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    stream.group_by(lambda key, value: value, Grouped("w", key=TEXT)).count(Materialized("counts"))
    stream.to("out", Produced(TEXT, TEXT))
    dead = {"application.id": "app", "errors.dead.letter.queue.topic.name": "app-dead-changelog"}
    # Whatever is reset, none of these is deleted.
    for arguments in ([], ["--input-topics", "in", "--intermediate-topics", "x"]):
        wish = wish_of(given(*arguments), builder.build(), StreamsConfig(dead), NOW_MS)
        assert wish.named == NamedTopics(
            frozenset({"prices", "in", "out", "app-dead-changelog"}),
            frozenset({"app-w-repartition", "app-counts-changelog"}),
        )


def test_the_user_may_say_them() -> None:
    arguments = given(
        "--input-topics", "a,b", "--intermediate-topics", "c", "--internal-topics", "d"
    )
    wish = wish_of(arguments, loop(), CONFIG, NOW_MS)
    assert wish == ResetRequest("app", ("a", "b"), ("c",), ("d",), named=NAMED)


def test_without_a_program_nothing_is_known() -> None:
    assert wish_of(given(), Topology(), CONFIG, NOW_MS) == ResetRequest("app")


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ([], Target()),
        (["--to-earliest"], Target()),
        (["--to-latest"], Target(latest=True)),
        (["--to-offset", "7"], Target(offset=7)),
        (["--shift-by", "-7"], Target(shift=-7)),
        (["--by-duration", "1h"], Target(time_ms=NOW_MS - 3_600_000)),
        (["--to-datetime", "1970-01-01T00:00:01Z"], Target(time_ms=1000)),
    ],
)
def test_targets(arguments: list[str], target: Target) -> None:
    assert wish_of(given(*arguments), loop(), CONFIG, NOW_MS).target == target


def test_offsets_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_text("in,0,5\n\nin,1,7\n")
    assert read_offsets(file) == {("in", 0): 5, ("in", 1): 7}
    file.write_text("in,0\n")
    with pytest.raises(StreamsError, match="must hold lines of topic,partition,offset"):
        read_offsets(file)


def test_one_target_only(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        given("--to-latest", "--to-offset", "7")
    assert ended.value.code == 2
    assert "not allowed with argument --to-latest" in capsys.readouterr().err


def test_text() -> None:
    plan = ResetPlan(
        "app",
        (OffsetChange("in", 0, 50, 0), OffsetChange("in", 1, None, 0)),
        ("app-counts-changelog",),
        ("0_0", "0_1"),
        "/state/app",
        ("not there, and left alone: gone",),
    )
    assert (
        "\n".join(as_text(plan))
        == """\
reset of application app
note: not there, and left alone: gone

input offsets
  topic  partition  committed  becomes
  in             0         50        0
  in             1          -        0

delete internal topics
  app-counts-changelog

delete local state on this machine
  /state/app: 2 tasks

50 records will be processed again, and written again"""
    )


def test_nothing_to_do() -> None:
    assert as_text(ResetPlan("app", (), (), (), "", ()))[-1].startswith("nothing to do")


def test_somebody_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reset"]) == 1
    assert capsys.readouterr().err == (
        "penstock: reset needs a program, penstock reset app.py, or --application-id ID\n"
    )
