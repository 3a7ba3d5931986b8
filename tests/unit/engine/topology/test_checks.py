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


def test_a_file_that_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    """The program may only be looked at: describe, doctor, an import."""
    path = tmp_path / "lines.txt"
    check_writable(str(path))
    assert not path.exists()
    path.write_text("old")
    check_writable(str(path))
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["", "file/lines.txt", "nowhere/lines.txt"])
def test_a_file_that_cannot_be_written_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TopologyError, match="cannot write to file"):
        check_writable(str(tmp_path / name))


def without_return(key: Any, value: Any) -> Any:
    value += 1


def with_bare_return(key: Any, value: Any) -> Any:
    if key:
        return
    value += 1


def with_a_value(key: Any, value: Any) -> Any:
    if key:
        return value
    return None


def with_or_none(key: Any, value: Any) -> Any:
    return value or None


def with_errors_only(key: Any, value: Any) -> Any:
    raise NotImplementedError


@pytest.mark.parametrize("function", [without_return, with_bare_return])
def test_a_function_without_a_result_is_warned_of(
    function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    check_function(function, "f", "key", "value")
    (message,) = caplog.messages
    assert message == (
        f"f {function.__name__} at {__file__}:{function.__code__.co_firstlineno} can only return "
        "None: is its 'return' missing?"
    )
    check_function(function, "an action", "key", "value", returns="anything")
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    "function", [with_a_value, with_or_none, with_errors_only, lambda key, value: None, max]
)
def test_a_function_that_may_have_a_result_is_not_warned_of(
    function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    check_function(function, "f", "key", "value")
    assert not caplog.messages


class Yields:
    def __call__(self, value: Any) -> Any:
        yield value

    def method(self, value: Any) -> Any:
        yield value


@pytest.mark.parametrize(
    "function", [Yields(), Yields().method, functools.partial(Yields.method, Yields())]
)
def test_a_generator_of_any_form_is_refused_where_one_value_is_wanted(
    function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(TopologyError, match=r"the generator function .* use g, whose function may"):
        check_function(function, "f", "value", several="g")
    check_function(function, "g", "value", returns="several")
    assert not caplog.messages
