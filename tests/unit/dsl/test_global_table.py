"""Global tables and global stores, as drawn."""

from __future__ import annotations

from typing import Any

from penstock import Consumed, Materialized, Processor, Stores, StreamsBuilder, serdes

TEXT, NUMBER = serdes.string(), serdes.long()


class Keep(Processor[Any, Any, Any, Any]):
    """Does nothing: it is only drawn."""


def test_it_can_be_queried_by_its_store() -> None:
    builder = StreamsBuilder()
    assert builder.global_table("t").queryable_store_name == "t-STATE-STORE-0000000000"
    named = builder.global_table("u", materialized=Materialized[str, str]("rows"))
    assert named.queryable_store_name == "rows"


def test_its_serdes_are_those_it_is_read_with_only_else_the_store_s() -> None:
    builder = StreamsBuilder()
    kept: Any = Materialized("rows", key=NUMBER, value=NUMBER)
    builder.global_table("t", Consumed(key=TEXT), kept)
    builder.global_table("u", materialized=Materialized("more", key=NUMBER, value=NUMBER))
    stores = builder.build().global_stores
    assert (stores["rows"].store.key, stores["rows"].store.value) == (TEXT, None)
    assert (stores["more"].store.key, stores["more"].store.value) == (NUMBER, NUMBER)


def test_no_global_store_has_a_changelog() -> None:
    builder = StreamsBuilder()
    builder.global_table("t", materialized=Materialized("rows", logging={"x": "y"}))
    kept = Stores.in_memory_key_value_store("kept", key=TEXT, value=TEXT)
    builder.add_global_store(kept, "u", None, Keep)
    topology = builder.build()
    assert [fed.store.logged for fed in topology.global_stores.values()] == [False, False]
    assert topology.stores == {}


def test_the_source_s_name_names_both_nodes() -> None:
    builder = StreamsBuilder()
    builder.global_table("t", Consumed(name="all"))
    assert list(builder.build().nodes) == ["all-source", "all"]
