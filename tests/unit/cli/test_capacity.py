"""`penstock capacity`."""

from __future__ import annotations

import argparse
import json

import pytest

from penstock.capacity import FORMULAS
from penstock.cli import main
from penstock.cli.capacity import duration_ms, number, option_of

EXAMPLE = """\
how many hopping windows a record falls into
  penstock capacity hopping --window-size 5min --advance 1min

  figure              estimate   how
  windows per record  5 windows  window size / advance, rounded up
"""


def test_all_formulas_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines[1:]] == list(FORMULAS)
    assert main(["capacity", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(FORMULAS)


def test_without_numbers_it_is_a_worked_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "hopping"]) == 0
    assert capsys.readouterr().out == EXAMPLE


@pytest.mark.parametrize("name", FORMULAS)
def test_the_command_that_is_shown_gives_what_is_shown(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["capacity", name])
    shown = capsys.readouterr().out
    command = shown.splitlines()[1].split()
    assert main(command[1:]) == 0
    assert capsys.readouterr().out == shown


def test_json_says_what_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "table", "--keys", "2e6", "--value-bytes", "1kB", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["given"] == {"keys": 2_000_000, "key_bytes": 20, "value_bytes": 1000}
    assert shown["estimate"]["bytes"] == 2_000_000 * 1028


def test_numbers_that_make_no_sense_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "windows", "--window-size", "0s"]) == 1
    assert capsys.readouterr().err == "penstock: window_size_ms must be above 0; got 0\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("20", 20), ("2e6", 2_000_000), ("1,000", 1000), ("20MB", 20_000_000), ("1KiB", 1024)],
)
def test_numbers(text: str, expected: float) -> None:
    assert number(text) == expected


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="a number such as 2000000, 2e6 or 20MB"):
        number("many")


def test_times() -> None:
    assert [duration_ms("300"), duration_ms("5min")] == [300, 300_000]
    assert option_of("window_size_ms") == "--window-size"
