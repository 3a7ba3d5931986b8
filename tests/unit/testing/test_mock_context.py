"""MockProcessorContext: what a processor did, without a task."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    RecordMetadata,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    StreamsError,
    serdes,
)
from penstock.testing import CapturedForward, MockProcessorContext
from tests.operators.programs import drive


def test_forwards_are_noted_with_their_child() -> None:
    context = MockProcessorContext()
    to_all, to_one = Record("k", 1, 0), Record("k", 2, 0)
    context.forward(to_all)
    context.forward(to_one, "child")
    assert context.forwarded() == [CapturedForward(to_all, None), CapturedForward(to_one, "child")]
    assert [forward.record for forward in context.forwarded("child")] == [to_all, to_one]
    assert [forward.record for forward in context.forwarded("other")] == [to_all]
    context.reset_forwards()
    assert context.forwarded() == []


def test_timers_are_noted_and_called_by_the_test() -> None:
    ticks: list[int] = []
    context = MockProcessorContext()
    timer = context.schedule(
        timedelta(seconds=1), PunctuationType.WALL_CLOCK_TIME, ticks.append, start_time=5
    )
    (noted,) = context.scheduled_punctuators()
    assert (noted.interval_ms, noted.type, noted.start_time) == (
        1000,
        PunctuationType.WALL_CLOCK_TIME,
        5,
    )
    noted.callback(7)
    assert ticks == [7]
    assert not noted.cancelled
    timer.cancel()
    assert noted.cancelled


def test_commits_are_noted() -> None:
    context = MockProcessorContext()
    assert not context.committed
    context.commit()
    assert context.committed
    context.reset_commit()
    assert not context.committed


def test_what_the_processor_may_ask_is_what_the_test_says() -> None:
    context = MockProcessorContext({"application.id": "a", "app.limit": 5}, task_id="1_2")
    context.set_record_metadata("in", 2, 7)
    context.set_current_stream_time_ms(10)
    context.set_current_system_time_ms(20)
    assert (context.application_id, context.task_id) == ("a", "1_2")
    assert context.record_metadata == RecordMetadata("in", 2, 7)
    assert (context.current_stream_time_ms, context.current_system_time_ms) == (10, 20)
    assert context.app_configs() == {"application.id": "a", "app.limit": 5}
    assert context.app_configs_with_prefix("app.") == {"limit": 5}


def test_stores_are_those_that_were_added() -> None:
    class Open(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None: ...

    def build(builder: StreamsBuilder) -> None:
        text = serdes.string()
        builder.add_state_store(Stores.in_memory_key_value_store("s", key=text, value=text))
        builder.stream("in").process(Open, state_stores=["s"])

    with drive(build) as driver:
        context = MockProcessorContext()
        context.add_state_store(driver.get_state_store("s"))
        context.get_state_store("s").put("k", "v")
        assert context.get_state_store("s").get("k") == "v"
        assert context.get_state_store("other") is None


def test_it_is_a_processor_context() -> None:
    def takes(context: ProcessorContext[str, int]) -> None: ...

    takes(MockProcessorContext())


def test_it_has_the_serdes_and_the_directory_that_it_is_given(tmp_path: Path) -> None:
    config = {"default.key.serde": "string", "default.value.serde": serdes.long()}
    context = MockProcessorContext(config, state_dir=tmp_path)
    assert (context.key_serde, context.value_serde) == (serdes.string(), serdes.long())
    assert context.state_dir == tmp_path
    with pytest.raises(StreamsError, match="pass it: state_dir=tmp_path"):
        _ = MockProcessorContext().state_dir


def test_settings_may_be_in_snake_case_or_a_config() -> None:
    for config in (
        {"application_id": "shop", "default_key_serde": "string", "shop.currency": "EUR"},
        {"application.id": "shop", "default.key.serde": "string", "shop.currency": "EUR"},
        StreamsConfig({"application_id": "shop", "default.key.serde": "string"}),
    ):
        context = MockProcessorContext(config)
        assert (context.application_id, context.key_serde) == ("shop", serdes.string())
    assert context.app_configs()["application.id"] == "shop"


def test_a_timer_that_no_task_would_take_is_refused() -> None:
    context = MockProcessorContext()
    with pytest.raises(ValueError, match="a schedule's interval must be at least 1 ms; got 0"):
        context.schedule(0, PunctuationType.STREAM_TIME, print)
    with pytest.raises(TypeError, match="a schedule's callback must be a function"):
        context.schedule(1, PunctuationType.STREAM_TIME, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a PunctuationType"):
        context.schedule(1, "stream_time", print)  # type: ignore[arg-type]
