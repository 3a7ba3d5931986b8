"""Durations: a timedelta or whole milliseconds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from penstock._durations import Duration, to_milliseconds


@pytest.mark.parametrize(
    ("duration", "milliseconds"),
    [
        (5, 5),
        (-1, -1),
        (timedelta(seconds=1.5), 1500),
        (timedelta(days=1), 86_400_000),
        (timedelta(microseconds=1999), 1),
        (timedelta(0), 0),
    ],
)
def test_a_duration_becomes_whole_milliseconds(duration: Duration, milliseconds: int) -> None:
    assert to_milliseconds(duration, "interval") == milliseconds


@pytest.mark.parametrize("wrong", [1.5, "5", None, True])
def test_anything_else_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^interval must be a timedelta or whole milliseconds; got"
    ):
        to_milliseconds(wrong, "interval")
