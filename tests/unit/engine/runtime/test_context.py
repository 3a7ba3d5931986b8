"""What a user's processor may ask of its task."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder
from penstock._engine.runtime.context import ReadOnlyStore
from penstock.errors import StreamsError
from penstock.testing import TopologyTestDriver
from tests.operators.programs import drive, pipe


def context_of(**config: Any) -> tuple[ProcessorContext[Any, Any], TopologyTestDriver]:
    """Return the context of a processor in a task that has started."""
    found: list[ProcessorContext[Any, Any]] = []

    class Look(Processor[Any, Any, Any, Any]):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            found.append(context)

        def process(self, record: Record[Any, Any]) -> None: ...

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").process(Look)

    driver = drive(build, **config)
    return found[0], driver


def test_identity() -> None:
    context, _ = context_of(**{"application.id": "app"})
    assert (context.application_id, context.task_id) == ("app", "0_0")


def test_times_are_the_task_s() -> None:
    context, driver = context_of()
    assert (context.current_stream_time_ms, context.current_system_time_ms) == (-1, 0)
    driver.advance_wall_clock_time(50)
    assert (context.current_stream_time_ms, context.current_system_time_ms) == (-1, 50)


def test_settings_with_and_without_a_prefix() -> None:
    context, _ = context_of(**{"app.limit": 5, "app.name": "x", "application.id": "a"})
    assert context.app_configs()["application.id"] == "a"
    assert context.app_configs_with_prefix("app.") == {"limit": 5, "name": "x"}


def test_settings_are_a_copy() -> None:
    context, _ = context_of(**{"application.id": "a"})
    configs: Any = context.app_configs()
    configs["application.id"] = "b"
    assert context.app_configs()["application.id"] == "a"


@pytest.mark.parametrize("interval", [0, -5, timedelta(0), timedelta(microseconds=10)])
def test_a_timer_s_interval_is_at_least_a_millisecond(interval: Any) -> None:
    context, _ = context_of()
    with pytest.raises(ValueError, match="interval must be at least 1 ms; got"):
        context.schedule(interval, PunctuationType.STREAM_TIME, print)


def test_a_timer_s_start_is_not_before_the_epoch() -> None:
    context, _ = context_of()
    with pytest.raises(ValueError, match="start_time must not be before the epoch; got -1"):
        context.schedule(1, PunctuationType.STREAM_TIME, print, start_time=-1)


def test_a_timer_s_type_and_callback_are_checked() -> None:
    context, _ = context_of()
    wrong: Any = "WALL_CLOCK_TIME"
    with pytest.raises(TypeError, match="type must be a PunctuationType; got 'WALL_CLOCK_TIME'"):
        context.schedule(1, wrong, print)
    wrong = None
    with pytest.raises(TypeError, match=r"callback must be a function \(timestamp\); got None"):
        context.schedule(1, PunctuationType.STREAM_TIME, wrong)


class Rows:
    name = "rows"

    def get(self, key: str) -> str:
        return key.upper()

    def put(self, key: str, value: str) -> None:
        raise AssertionError


def test_a_global_store_can_be_read() -> None:
    assert (ReadOnlyStore(Rows()).name, ReadOnlyStore(Rows()).get("a")) == ("rows", "A")


@pytest.mark.parametrize("write", ["put", "put_if_absent", "put_all", "delete", "remove"])
def test_a_global_store_cannot_be_written(write: str) -> None:
    with pytest.raises(
        StreamsError, match=f"global store 'rows' must not be written here: {write}"
    ):
        getattr(ReadOnlyStore(Rows()), write)


def test_a_global_store_has_only_what_the_store_has() -> None:
    with pytest.raises(AttributeError, match="fetch"):
        _ = ReadOnlyStore(Rows()).fetch


def test_after_a_child_that_failed_time_and_headers_are_those_of_the_record() -> None:
    """Java: `finally` in ProcessorContextImpl.forward."""
    seen: list[tuple[Any, Any]] = []

    class Endure(Processor[Any, Any, Any, Any]):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            self.context: Any = context

        def process(self, record: Record[Any, Any]) -> None:
            with suppress(Exception):
                self.context.forward(Record(record.key, "bad", 999, headers=[("x", b"1")]))
            position = self.context._task.position
            seen.append((position.timestamp, position.headers))

    class Refuse(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None:
            raise ValueError(record.value)

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").process(Endure).process(Refuse).to("out")

    driver = drive(build)
    pipe(driver, "in", ("k", "v", 5))
    assert seen == [(5, ())]
