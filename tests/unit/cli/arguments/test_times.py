"""Times as people type them."""

from __future__ import annotations

import argparse
from datetime import timedelta

import pytest

from penstock.cli.arguments.times import duration, moment_ms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("250ms", timedelta(milliseconds=250)),
        ("30 s", timedelta(seconds=30)),
        ("1.5h", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
        ("P1DT2H3M4.5S", timedelta(days=1, hours=2, minutes=3, seconds=4.5)),
    ],
)
def test_durations(text: str, expected: timedelta) -> None:
    assert duration(text) == expected


@pytest.mark.parametrize("text", ["5", "5m", "P", "soon"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="a time such as 250ms, 30s, 5min"):
        duration(text)


def test_moments() -> None:
    assert moment_ms("1970-01-02T00:00:00+00:00") == 86_400_000
    with pytest.raises(argparse.ArgumentTypeError, match="a time such as 2026-01-31T12:00"):
        moment_ms("noon")
