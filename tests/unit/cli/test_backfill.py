"""What `penstock backfill` makes of its arguments and of the program. (On Spark: tests/spark.)"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from penstock import Topology
from penstock._engine.spark.batch import backfill as engine
from penstock._engine.spark.batch.backfill import BackfillReport
from penstock._engine.spark.batch.backfill_inputs import InputOptions
from penstock.cli import main
from penstock.settings import StreamsConfig

BUILDER = """
from penstock import StreamsBuilder
builder = StreamsBuilder()
builder.stream("in").to("out")
"""
RUN = """
from penstock import KafkaStreams
if __name__ == "__main__":
    KafkaStreams(builder.build(), {"application.id": "mine"}).run()
"""
CLUSTER = ["--bootstrap-servers", "kafka:9092"]


class Asked:
    """What the engine was asked to do."""

    config: StreamsConfig
    wishes: InputOptions
    reset: bool


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    asked = Asked()

    def backfill(
        topology: Topology,
        config: StreamsConfig,
        wishes: InputOptions,
        *,
        reset: bool,
        on_advance: Callable[[Any], None],
    ) -> BackfillReport:
        asked.config, asked.wishes, asked.reset = config, wishes, reset
        return BackfillReport(10, 20, {"in": {0: 7, 1: 3}}, resumed=False, seconds=1.5)

    monkeypatch.setattr(engine, "backfill", backfill)
    monkeypatch.setattr(sys, "argv", ["penstock"])
    monkeypatch.setattr(sys, "path", sys.path.copy())
    return asked


@pytest.fixture
def app(tmp_path: Path) -> str:
    path = tmp_path / "my_app.py"
    path.write_text(BUILDER + RUN)
    return str(path)


def test_the_application_that_the_program_would_run_is_backfilled(asked: Asked, app: str) -> None:
    assert main(["backfill", app, *CLUSTER, "--set", "poll.ms=9"]) == 0

    assert asked.config.given() == {
        "application.id": "mine",
        "bootstrap.servers": "kafka:9092",
        "poll.ms": 9,
    }
    assert asked.wishes == InputOptions()
    assert asked.reset is False


def test_a_program_with_a_topology_alone_is_named_after_its_file(
    asked: Asked, tmp_path: Path
) -> None:
    path = tmp_path / "my_app.py"
    path.write_text(BUILDER)

    assert main(["backfill", str(path), *CLUSTER]) == 0
    assert asked.config.application_id == "my-app"


def test_a_program_that_starts_by_itself_is_told_what_to_do(
    asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.py"
    path.write_text(BUILDER + RUN.replace(".run()", ".start()"))

    assert main(["backfill", str(path), *CLUSTER]) == 1
    assert "call run()" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("now", None),
        ("2026-11-01T00:00:00Z", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T00:00", datetime(2026, 11, 1).astimezone()),
        ("in:0=12,in:1=9,o:ther:0=1", {"in": {0: 12, 1: 9}, "o:ther": {0: 1}}),
    ],
)
def test_where_history_ends_can_be_said_in_three_ways(
    asked: Asked, app: str, text: str, until: object
) -> None:
    main(["backfill", app, *CLUSTER, "--until", text])

    assert asked.wishes.until == until


def test_files_can_be_the_history_of_a_topic(asked: Asked, app: str) -> None:
    words = ["--input", "in=old.parquet", "--live-from", "in=earliest", "--reset"]
    main(["backfill", app, *CLUSTER, *words])

    assert asked.wishes.files == {"in": "old.parquet"}
    assert asked.wishes.live_from == {"in": "earliest"}
    assert asked.reset is True


@pytest.mark.parametrize(
    "words",
    [
        ["--until", "yesterday"],
        ["--until", "in=12"],
        ["--input", "old.parquet"],
        ["--live-from", "in=somewhere"],
    ],
)
def test_what_cannot_be_understood_is_refused(asked: Asked, app: str, words: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["backfill", app, *CLUSTER, *words])


def test_the_result_is_told_to_people(
    asked: Asked, app: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["backfill", app, *CLUSTER])

    told = capsys.readouterr()
    assert told.out == "in goes on live at offsets 0: 7, 1: 3\n"
    assert "10 records in, 20 written; it can go live" in told.err


def test_the_result_is_told_to_programs(
    asked: Asked, app: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["backfill", app, *CLUSTER, "--json", "--quiet"])

    told = capsys.readouterr()
    assert json.loads(told.out) == {
        "application.id": "mine",
        "records_in": 10,
        "records_out": 20,
        "resumed": False,
        "seconds": 1.5,
        "live_from": {"in": {"0": 7, "1": 3}},
    }
    assert told.err == ""
