"""Errors find the user's line."""

from __future__ import annotations

import inspect
import json
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock import (
    ConfigError,
    Consumed,
    Named,
    ProcessingError,
    SerializationError,
    StreamsBuilder,
    StreamsError,
    TopologyError,
)
from penstock.errors import (
    StateClosedError,
    StateCorruptedError,
    StateError,
    StateLockedError,
    failure_location,
    user_location,
    without_internal_frames,
)


def here() -> str:
    """Return the line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"{__file__}:{frame.f_back.f_lineno}"


def caught(function: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as error:  # noqa: PT011 - any will do
        function()
    return error.value


def test_every_error_is_a_streams_error() -> None:
    for kind in (TopologyError, ConfigError, SerializationError, ProcessingError):
        assert issubclass(kind, StreamsError)


def test_the_users_location_is_the_nearest_line_outside_the_package() -> None:
    assert user_location() == here()


def test_an_option_made_by_a_dataclass_knows_the_users_line() -> None:
    error = caught(lambda: Named(""))
    assert isinstance(error, TopologyError)
    assert error.location is not None
    assert error.location.startswith(f"{__file__}:")
    assert str(error) == f"{error.message} (at {error.location})"


def test_a_line_that_is_known_better_may_be_given() -> None:
    assert str(TopologyError("no", "app.py:5")) == "no (at app.py:5)"


def test_a_mistake_found_at_build_time_has_the_line_of_the_verb() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(name="same"))
    builder.stream("b", Consumed(name="same"))
    line = here().rpartition(":")[2]
    error = caught(builder.build)
    assert isinstance(error, TopologyError)
    assert error.location == f"{__file__}:{int(line) - 1}"


def test_a_failure_is_where_the_users_code_was_last() -> None:
    def outer() -> None:
        inner()

    def inner() -> None:
        json.loads("{")

    line = inspect.getsourcelines(inner)[1] + 1
    assert failure_location(caught(outer)) == f"{__file__}:{line}"


def test_a_failure_outside_of_any_users_code_has_no_place() -> None:
    assert failure_location(ValueError("never raised")) is None


def test_a_processing_error_carries_its_place() -> None:
    error = ProcessingError("no", task_id="0_1", node="n", topic="t", partition=1, offset=5)
    assert (error.task_id, error.node, error.topic, error.partition, error.offset) == (
        "0_1",
        "n",
        "t",
        1,
        5,
    )


def test_a_processing_error_without_a_record_has_java_s_unknown_place() -> None:
    error = ProcessingError("no", task_id="0_1", node="n")
    assert (error.topic, error.partition, error.offset) == (None, -1, -1)


@pytest.mark.parametrize(
    "error",
    [
        StreamsError("no"),
        TopologyError("no", "app.py:5"),
        ConfigError("no"),
        SerializationError("no"),
        ProcessingError("no", task_id="0_1", node="n", topic="t", partition=1, offset=5),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_the_way_between_processes(error: StreamsError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("kind", [StateClosedError, StateCorruptedError, StateLockedError])
def test_every_kind_is_a_state_error_with_its_path(kind: type[StateError]) -> None:
    error = kind("it is so", Path("state"))
    assert isinstance(error, StateError)
    assert isinstance(error, StreamsError)
    assert (str(error), error.path) == ("it is so", Path("state"))


def test_an_error_of_the_start_shows_its_sentence_and_the_users_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> None:
        try:
            raise ValueError("inner")
        except ValueError as inner:
            raise StreamsError("the sentence") from inner

    def shown() -> str:
        try:
            fail()
        except StreamsError as error:
            return "".join(traceback.format_exception(without_internal_frames(error)))
        raise AssertionError

    monkeypatch.delenv("PENSTOCK_TRACEBACK", raising=False)
    assert shown() == "penstock.errors.StreamsError: the sentence\n"
    monkeypatch.setenv("PENSTOCK_TRACEBACK", "1")
    assert "ValueError: inner" in shown()
    assert "in fail" in shown()
