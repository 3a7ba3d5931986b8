"""Suppressed and BufferConfig, and what suppress draws. What it does is in tests/operators."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from penstock import BufferConfig, StreamsBuilder, Suppressed, TimeWindows
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode
from penstock._engine.topology.nodes.table_nodes import TableSuppress
from penstock.errors import TopologyError


def operation_of(builder: StreamsBuilder, name: str) -> TableSuppress:
    node = builder.build().nodes[name]
    assert isinstance(node, ProcessorNode)
    assert isinstance(node.operation, TableSuppress)
    return node.operation


def test_a_buffer_emits_early_unless_it_is_unbounded_or_told_otherwise() -> None:
    assert BufferConfig(max_records=1).when_full == "emit_early"
    assert BufferConfig.unbounded().when_full == "shut_down"
    assert BufferConfig(max_bytes=1).shut_down_when_full().when_full == "shut_down"
    strict = BufferConfig(max_bytes=1, when_full="shut_down")
    assert strict.emit_early_when_full() == BufferConfig(max_bytes=1)


def test_limits_and_the_changelog_can_be_taken_away() -> None:
    config = BufferConfig(max_records=1, max_bytes=2, logging={"retention.ms": "5"})
    assert config.is_bounded
    assert not config.with_no_bound().is_bounded
    assert config.with_logging_disabled().logging is False


def test_the_wait_is_the_limit_or_the_grace_of_the_windows_above() -> None:
    builder = StreamsBuilder()
    builder.table("in").suppress(Suppressed.until_time_limit(timedelta(seconds=1), name="held"))
    windows = builder.stream("other").group_by_key().windowed_by(TimeWindows.of_size(10, grace=3))
    windows.count().suppress(Suppressed.until_window_closes(name="final"))
    held, final = operation_of(builder, "held"), operation_of(builder, "final")
    assert (held.wait_ms, held.until_window_closes) == (1000, False)
    assert (final.wait_ms, final.until_window_closes) == (3, True)
    assert (final.max_records, final.max_bytes, final.emits_early_when_full) == (None, None, False)


def test_the_buffer_has_the_serdes_of_the_table_and_a_changelog() -> None:
    builder = StreamsBuilder()
    table = builder.stream("in").to_table()
    table.suppress(
        Suppressed.until_time_limit(1, BufferConfig(logging={"retention.ms": "5"}), name="held")
    )
    store = builder.build().stores["held-store"]
    assert (store.kind, store.logged, store.cached) == ("suppression", True, False)
    assert store.changelog_settings == {"retention.ms": "5"}
    assert (store.key, store.value) == (None, None)


def test_a_name_uses_up_no_number() -> None:
    def numbers(**name: Any) -> list[str]:
        builder = StreamsBuilder()
        builder.table("in").suppress(Suppressed.until_time_limit(1, **name)).to_stream()
        return list(builder.build().nodes)[2:]

    assert numbers(name="held") == ["held", "KTABLE-TOSTREAM-0000000003"]
    assert numbers() == ["KTABLE-SUPPRESS-0000000003", "KTABLE-TOSTREAM-0000000005"]


def test_the_table_below_keeps_the_serdes_and_has_no_store_to_query() -> None:
    builder = StreamsBuilder()
    table = builder.stream("in").group_by_key().reduce(max)
    held = table.suppress(Suppressed.until_time_limit(1))
    assert (held._handle.key_serde, held._handle.value_serde) == (
        table._handle.key_serde,
        table._handle.value_serde,
    )
    assert held.queryable_store_name is None


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("untilWindowCloses", "Suppressed.until_window_closes()"),
        ("untilTimeLimit", "Suppressed.until_time_limit(duration)"),
    ],
)
def test_java_s_spelling_is_answered(wrong: str, right: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(Suppressed, wrong)
    assert right in str(caught.value)


def test_java_s_buffers_are_answered() -> None:
    with pytest.raises(AttributeError) as caught:
        BufferConfig.maxRecords(5)  # type: ignore[attr-defined]
    assert str(caught.value) == (
        "BufferConfig has no 'maxRecords'; in Python it is spelled BufferConfig.max_records, as in "
        "BufferConfig(max_records=...)"
    )


def test_a_buffer_that_emits_early_is_refused_however_it_is_made() -> None:
    with pytest.raises(TopologyError, match="must have a buffer that does not emit early"):
        Suppressed(None, BufferConfig(max_records=1))
    with pytest.raises(TopologyError, match="BufferConfig"):
        Suppressed(5, None)  # type: ignore[arg-type]
