"""StreamsBuilder: where a program begins."""

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock import Consumed, Materialized, Stores, StreamsBuilder, serdes
from penstock._engine.topology.nodes.stream_nodes import SourceNode


def sources(builder: StreamsBuilder) -> list[SourceNode]:
    return [node for node in builder.build().nodes.values() if isinstance(node, SourceNode)]


@pytest.mark.parametrize(
    ("topics", "names", "pattern"),
    [
        ("a", ("a",), None),
        (["b", "a"], ("b", "a"), None),
        (("a", "b", "a"), ("a", "b"), None),
        ({"a": 1}, ("a",), None),
        (iter(["a"]), ("a",), None),
        (re.compile("a.*"), (), re.compile("a.*")),
        ([re.compile("a.*")], (), re.compile("a.*")),
    ],
)
def test_a_stream_reads_a_topic_several_or_a_pattern(
    topics: Any, names: tuple[str, ...], pattern: re.Pattern[str] | None
) -> None:
    builder = StreamsBuilder()
    builder.stream(topics)
    (source,) = sources(builder)
    assert (source.topics, source.pattern) == (names, pattern)


def test_a_named_source_uses_up_a_number() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed(name="mine"))
    builder.stream("b")
    assert [source.name for source in sources(builder)] == ["mine", "KSTREAM-SOURCE-0000000001"]


def test_builders_do_not_know_each_other() -> None:
    one, two = StreamsBuilder(), StreamsBuilder()
    one.stream("a")
    two.stream("b")
    assert [source.name for source in sources(two)] == ["KSTREAM-SOURCE-0000000000"]


def test_a_store_may_be_added_and_the_builder_goes_on() -> None:
    store = Stores.in_memory_key_value_store("s", key=serdes.string(), value=serdes.long())
    builder = StreamsBuilder()
    assert builder.add_state_store(store) is builder
    builder.stream("a")
    assert builder.build().stores == {"s": store}


def test_an_empty_program_builds_an_empty_topology() -> None:
    assert StreamsBuilder().build().nodes == {}


def test_settings_may_be_in_snake_case() -> None:
    builder = StreamsBuilder()
    builder.table("in", Consumed(serdes.string(), serdes.string()), Materialized("rows"))
    settings = {"application_id": "shop", "topology_optimization": "all"}
    assert builder.build(settings).source_changelogs == {"rows": "in"}
