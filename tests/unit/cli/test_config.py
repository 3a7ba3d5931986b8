"""`penstock config`: what is set, and where it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock.cli import main

PROGRAM = """
from penstock import KafkaStreams, StreamsBuilder, StreamsConfig

builder = StreamsBuilder()
builder.stream("in").to("out")
settings = {"application.id": "shop", "sasl.password": "hunter2", "poll.ms": 7}
KafkaStreams(builder.build(), StreamsConfig.from_environment(settings))
"""


@pytest.fixture
def app(tmp_path: Path) -> str:
    path = tmp_path / "app.py"
    path.write_text(PROGRAM)
    return str(path)


def test_each_setting_says_where_it_comes_from(
    app: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_COMMIT_INTERVAL_MS", "250")
    monkeypatch.setenv("PENSTOCK_TURN_MS", "900")
    monkeypatch.setenv("PENSTOCK_TRACEBACK", "1")  # no setting
    file = tmp_path / "prod.toml"
    file.write_text("[max.task.idle]\nms = 5\n")
    words = ["config", app, "--settings", str(file), "--set", "num_stream_threads=3"]
    assert main([*words, "--bootstrap-servers", "kafka:1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["setting"]: (row["value"], row["from"]) for row in rows} == {
        "application.id": ("shop", "the program"),
        "bootstrap.servers": ("kafka:1", "--bootstrap-servers"),
        "commit.interval.ms": ("250", "PENSTOCK_COMMIT_INTERVAL_MS"),
        "max.task.idle.ms": ("5", str(file)),
        "num.stream.threads": ("3", "--set"),
        "penstock.turn.ms": ("900", "PENSTOCK_TURN_MS"),
        "poll.ms": ("7", "the program"),
        "sasl.password": ("<hidden>", "the program"),
    }


def test_a_variable_that_the_program_has_not_read_is_no_origin(
    app: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(app).write_text(PROGRAM.replace("StreamsConfig.from_environment(settings)", "settings"))
    monkeypatch.setenv("PENSTOCK_POLL_MS", "9")
    assert main(["config", app, "--json"]) == 0
    rows = {row["setting"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows["poll.ms"]["value"], rows["poll.ms"]["from"]) == ("7", "the program")


def test_defaults_are_shown_on_request(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", app]) == 0
    assert "default" not in capsys.readouterr().out
    assert main(["config", app, "--all"]) == 0
    said = capsys.readouterr().out
    assert "hunter2" not in said
    (line,) = [line for line in said.splitlines() if line.startswith("num.standby.replicas ")]
    assert line.split() == ["num.standby.replicas", "0", "default"]
