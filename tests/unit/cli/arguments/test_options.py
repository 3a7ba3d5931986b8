"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.cli.arguments.options import add_cluster, names, positive, settings_of


def settings(*arguments: str) -> dict[str, object]:
    parser = argparse.ArgumentParser()
    add_cluster(parser)
    return settings_of(parser.parse_args(arguments))


def test_single_settings_go_before_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("poll.ms=5\nsecurity.protocol=SSL\nbootstrap.servers=a:1\n")
    given = settings(
        "--settings", str(file), "--set", "poll.ms=7", "--bootstrap-servers", "kafka:9092"
    )
    assert given == {
        "poll.ms": "7",
        "security.protocol": "SSL",
        "bootstrap.servers": "kafka:9092",
    }


def test_nothing_is_said() -> None:
    assert settings() == {}


def test_names_have_commas_between_them() -> None:
    assert names("a, b,,c") == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["0", "-1", "many"])
def test_a_positive_number_is_one(text: str) -> None:
    assert positive("3") == 3
    with pytest.raises(argparse.ArgumentTypeError, match="at least 1; got"):
        positive(text)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("penstock 0.")


@pytest.mark.parametrize("command", ["send", "show"])
def test_earlier_names_are_understood_and_not_listed(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert f"\n    {command} " not in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
