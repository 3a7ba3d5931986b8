"""`penstock plan`, with partitions that are said."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.cli import plan as command
from penstock.cli.plan import partitions

PROGRAM = """
from penstock import Grouped, KafkaStreams, Materialized, StreamsBuilder, serdes
text = serdes.string()
builder = StreamsBuilder()
(
    builder.stream("orders")
    .group_by(lambda key, value: value, Grouped("by-value", key=text, value=text))
    .count(Materialized("counts", key=text, value=serdes.long()))
    .to_stream()
    .to("totals")
)
if __name__ == "__main__":
    KafkaStreams(builder.build(), {"application.id": "shop", "num.stream.threads": 3}).run()
"""
TEXT = """\
application shop, at_least_once

sub-topology 0, 4 tasks: 0_0 to 0_3
  reads   orders
  writes  shop-by-value-repartition

sub-topology 1, 4 tasks: 1_0 to 1_3
  reads   shop-by-value-repartition
  writes  totals
  store   kind                   engine   cached  retention  restored from
  counts  timestamped-key-value  rocksdb  yes     -          shop-counts-changelog

internal topics
  name                       kind         partitions
  shop-by-value-repartition  repartition           4
  shop-counts-changelog      changelog             4
  shop-penstock-tasks        tasks                 8

8 tasks; 3 slots ('num.stream.threads'), 2 or 3 each
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    path = tmp_path / "app.py"
    path.write_text(PROGRAM)
    return str(path)


def test_text(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", app, "--partitions", "4"]) == 0
    assert capsys.readouterr().out == TEXT


def test_windows_say_their_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    path = tmp_path / "windows.py"
    path.write_text(
        """\
from penstock import *
text = serdes.string()
builder = StreamsBuilder()
views = builder.stream("views", Consumed(text, text))
grouped = views.group_by_key(Grouped("by-page", text, text))
grouped.windowed_by(TimeWindows.of_size(5)).count(Materialized("counts", key=text))
grouped.windowed_by(SessionWindows.of_inactivity_gap(5, grace=2000)).count(
    Materialized("sessions", key=text)
)
grouped.windowed_by(UnlimitedWindows.of()).count(Materialized("all", key=text))
near = JoinWindows.of_time_difference(5)
views.left_join(views, lambda left, right: left, near, StreamJoined("near", text, text, text))
KafkaStreams(builder.build(), {"application.id": "shop"}).run()
"""
    )
    assert main(["plan", str(path), "--partitions", "1"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  windows")]
    none = "no grace: records that come after the end of their window are dropped; see grace=..."
    assert lines == [
        f"  windows at {path}:6: {none}",
        f"  windows at {path}:7: grace of 2,000 ms",
        f"  windows at {path}:12: {none}",
    ]


def test_json(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", app, "--partitions", "orders=2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["application_id"], shown["task_count"]) == ("shop", 4)
    assert shown["partitions"] == {"orders": 2}
    assert shown["slots"]["tasks_of_each"] == [2, 1, 1]


@pytest.mark.parametrize(
    ("setting", "last"),
    [
        ("num.stream.threads=9", "9 slots ('num.stream.threads'), 0 or 1 each; 1 of them idle:"),
        ("num.standby.replicas=1", "8 tasks, and a standby copy of each; 3 slots"),
        ("num.standby.replicas=2", "8 tasks, and 2 standby copies of each; 3 slots"),
    ],
)
def test_last_line(app: str, setting: str, last: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", app, "--partitions", "4", "--set", setting]) == 0
    assert last in capsys.readouterr().out.splitlines()[-1]


def test_partitions_of_a_topic_must_be_said(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", app, "--partitions", "payments=2"]) == 1
    assert "must say how many orders has; give one number" in capsys.readouterr().err


def test_partitions_are_numbers() -> None:
    assert partitions("4") == {"": 4}
    assert partitions("a=1, b=2") == {"a": 1, "b": 2}
    with pytest.raises(argparse.ArgumentTypeError, match="N or TOPIC=N"):
        partitions("a=none")


def test_nobody_knows_the_partitions(
    app: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    assert main(["plan", app]) == 1
    assert "no local broker runs" in capsys.readouterr().err
    assert command.__doc__


ACLS = """\
# What the application needs from its first start on; CREATE not once its topics exist.
# Add: --bootstrap-server HOST:PORT --command-config ADMIN.properties
# reads it
kafka-acls.sh --add --allow-principal User:shop --operation Read --topic orders
# writes it
kafka-acls.sh --add --allow-principal User:shop --operation Write --topic totals
# deletes what has been read
kafka-acls.sh --add --allow-principal User:shop --operation Create --operation Delete \
--operation DescribeConfigs --operation Read --operation Write --topic shop-by-value-repartition
# writes every change of a store, reads it to restore
kafka-acls.sh --add --allow-principal User:shop --operation Create --operation DescribeConfigs \
--operation Read --operation Write --topic shop-counts-changelog
# its partitions are the tasks: more of them when the program has more
kafka-acls.sh --add --allow-principal User:shop --operation Alter --operation Create \
--operation DescribeConfigs --operation Read --operation Write --topic shop-penstock-tasks
# shares the tasks out and commits offsets
kafka-acls.sh --add --allow-principal User:shop --operation Read --group shop
"""


def test_acls(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    """tests/broker/test_permissions.py shows that they are enough, and that all are needed."""
    said = ["plan", app, "--partitions", "4", "--acls", "--principal", "User:shop"]
    assert main(said) == 0
    assert capsys.readouterr().out == ACLS
    transactional = "processing.guarantee=exactly_once_v2"
    assert main([*said, "--json", "--set", transactional]) == 0
    assert json.loads(capsys.readouterr().out)[-1] == {
        "principal": "User:shop",
        "resource": "transactional-id",
        "name": "shop-",
        "pattern": "prefixed",
        "operations": ["WRITE"],
        "advised": [],
        "why": "one transactional id for each worker",
    }
