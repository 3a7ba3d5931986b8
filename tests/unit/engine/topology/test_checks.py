"""Checks of arguments. What users are told is in tests/refusals."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from penstock import TopologyError
from penstock._engine.topology.checks import check_function, check_writable, shown


class Callable2:
    def __call__(self, key: object, value: object) -> None: ...

    def method(self, key: object, value: object) -> None: ...


@pytest.mark.parametrize(
    "function",
    [
        lambda key, value: None,
        lambda key, value, extra=1: None,
        lambda *arguments: None,
        Callable2(),
        Callable2().method,
        functools.partial(lambda a, key, value: None, 1),
        print,
        max,
        int,
    ],
)
def test_whatever_takes_key_and_value_may_be_a_function(function: Any) -> None:
    check_function(function, "f", "key", "value")


@pytest.mark.parametrize(
    "function", [lambda value: None, lambda a, b, c: None, lambda *, key, value: None, str.upper]
)
def test_whatever_does_not_is_refused(function: Any) -> None:
    with pytest.raises(TopologyError, match=r"^f must take \(key, value\); got the function "):
        check_function(function, "f", "key", "value")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("x", "'x'"),
        (int, "the class int"),
        (len, "the function len"),
        (lambda: None, "the function <lambda>"),
        (Callable2().method, "the function method"),
        (object(), "an object of class object"),
        ([1], "[1]"),
    ],
)
def test_wrong_arguments_are_shown_without_addresses(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_file_that_can_be_written_is_left_empty(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("old")
    check_writable(str(path))
    assert path.read_text() == ""
