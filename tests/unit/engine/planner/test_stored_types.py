"""Which stores have types that are compared, and what accepts the loss of a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import BaseModel, Field, model_validator

from penstock import (
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    StreamJoined,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
    Topology,
    serdes,
)
from penstock._engine.planner.stored_types import (
    accepting_names,
    refusal_of_removed,
    removed_fields,
    types_of,
)
from penstock.serdes import Serde


class Place(msgspec.Struct, frozen=True):
    town: str
    land: str


class Town(msgspec.Struct, frozen=True):
    town: str


def drawn(draw: Callable[[StreamsBuilder, Serde[Any]], object], of: Any, **more: Any) -> Topology:
    builder = StreamsBuilder()
    draw(builder, serdes.json(of))
    return builder.build(more)


def config(of: Any) -> StreamsConfig:
    serde = serdes.json(of)
    return StreamsConfig(
        {"application.id": "app", "default.key.serde": serde, "default.value.serde": serde}
    )


def removed(
    draw: Callable[[StreamsBuilder, Serde[Any]], object],
    keeps: Callable[[str], bool] = lambda name: True,
    **more: Any,
) -> list[str]:
    before = types_of(drawn(draw, Place, **more), config(Place))
    return removed_fields(before, drawn(draw, Town, **more), config(Town), keeps)


def last(builder: StreamsBuilder, of: Serde[Any]) -> None:
    text = serdes.string()
    grouped = builder.stream("in", Consumed(text, of)).group_by_key(Grouped(key=text, value=of))
    grouped.reduce(lambda one, two: two, Materialized("last", text, of))


def test_the_values_of_a_store() -> None:
    assert types_of(drawn(last, Place), config(Place)) == {
        "last": {"": {"town": None, "land": None}}
    }
    assert removed(last) == ["last.land"]


def test_a_store_that_is_new_gone_or_empty_has_lost_nothing() -> None:
    assert removed(last, lambda name: name != "last") == []
    place = config(Place)
    assert removed_fields({"gone": {"": {"a": None}}}, drawn(last, Place), place, bool) == []
    assert removed_fields({}, drawn(last, Place), place, bool) == []


class Foo(BaseModel):
    foo: str = Field("?", serialization_alias="fooBar")

    @model_validator(mode="before")
    @classmethod
    def read(cls, data: dict[str, str]) -> dict[str, str]:
        return {"foo": data.get("fooBar", "?")}


def test_an_unchanged_model_that_reads_its_own_names_itself_has_lost_nothing() -> None:
    before = types_of(drawn(last, Foo), config(Foo))
    assert before == {"last": {"": {"fooBar": None}}}
    assert removed_fields(before, drawn(last, Foo), config(Foo), lambda name: True) == []
    town = removed_fields(before, drawn(last, Town), config(Town), lambda name: True)
    assert town == ["last.fooBar"]


def test_keys_and_values_by_the_default_serdes_and_windows() -> None:
    def draw(builder: StreamsBuilder, of: Serde[Any]) -> None:
        grouped = builder.stream("in").group_by_key()
        sums = grouped.windowed_by(TimeWindows.of_size(10)).reduce(
            lambda one, two: two, Materialized("sums")
        )
        sums.suppress(Suppressed.until_window_closes(name="held"))

    assert removed(draw) == [
        "held-store[key].land",
        "held-store.land",
        "sums[key].land",
        "sums.land",
    ]


def test_the_buffers_of_a_join_of_streams() -> None:
    def draw(builder: StreamsBuilder, of: Serde[Any]) -> None:
        text = serdes.string()
        options = StreamJoined(key=text, value=text, other_value=of, store_name="pairs")
        windows = JoinWindows.of_time_difference(10, grace=0)
        builder.stream("a").left_join(builder.stream("b"), lambda a, b: a, windows, options)

    assert removed(draw) == [
        "pairs-left-shared-join-store[right].land",
        "pairs-outer-other-join-store.land",
    ]


def test_stores_whose_rows_are_those_of_a_topic_or_end_with_the_program() -> None:
    def draw(builder: StreamsBuilder, of: Serde[Any]) -> None:
        builder.table("rows", materialized=Materialized("rows", value=of))
        builder.global_table("all", materialized=Materialized("all", value=of))
        stream = builder.stream("in")
        stream.to_table(Materialized("lost", value=of, store="in_memory", logging=False))
        stream.to_table(Materialized("disk", value=of, store="rocksdb", logging=False))

    assert set(types_of(drawn(draw, Place), config(Place))) == {"rows", "disk"}
    optimized = drawn(draw, Place, **{"topology.optimization": "all"})
    assert set(types_of(optimized, config(Place))) == {"disk"}


def test_a_store_without_serdes_is_not_compared() -> None:
    def draw(builder: StreamsBuilder, of: Serde[Any]) -> None:
        builder.stream("in").group_by_key().count(Materialized("counts"))

    assert types_of(drawn(draw, Place), StreamsConfig({"application.id": "app"})) == {}


def test_what_accepted_a_loss_once_does_not_accept_the_next() -> None:
    names = accepting_names(["a.x", "a.y", "a.z"], {"a.y": 1, "a.z": 2, "b": 1})
    assert names == {"a.x": "a.x", "a.y": "a.y#2", "a.z": "a.z#3"}


def test_a_refusal_names_the_fields_and_the_setting() -> None:
    first, *lines = refusal_of_removed(["a.x", "b.y"], "app", "accept").splitlines()
    assert first == (
        "types of stores have lost fields since application 'app' ran last, and what is stored in "
        "them would be lost row by row, with the next write of each:"
    )
    assert lines[:3] == ["  - a.x", "  - b.y", "Nothing was made or changed. You can"]
    assert lines[-1] == "  - let it go, once: set 'accept' to 'a.x, b.y'"
