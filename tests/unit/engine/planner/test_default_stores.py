"""Where stores live that leave it to the settings."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    ConfigError,
    JoinWindows,
    Materialized,
    SessionWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    ValueTransformerWithKey,
    serdes,
)
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.stores import StorePlace

IN_MEMORY = {"default.dsl.store": "in_memory"}
JAVAS = "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$"


def own_engine(place: StorePlace) -> MemoryStore:
    return MemoryStore()


def config(**given: Any) -> StreamsConfig:
    return StreamsConfig({"application.id": "app", **given})


def program() -> StreamsBuilder:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    grouped = stream.group_by_key()
    grouped.count(Materialized("free"))
    grouped.count(Materialized("disk", store="rocksdb"))
    grouped.count(Materialized("few", max_entries=5))
    builder.table("rows", materialized=Materialized("versions", history_retention=10))
    builder.global_table("all", materialized=Materialized("global"))
    joined: StreamJoined[Any, Any, Any] = StreamJoined(store_name="join")
    windows = JoinWindows.of_time_difference(5)
    stream.outer_join(builder.stream("other"), lambda a, b: a, windows, joined)
    text = serdes.string()
    builder.add_state_store(Stores.persistent_key_value_store("mine", key=text, value=text))
    return builder


def engines(topology: Any) -> dict[str, Any]:
    of_all = {name: nodes.store for name, nodes in topology.global_stores.items()}
    return {name: store.engine for name, store in {**topology.stores, **of_all}.items()}


@pytest.mark.parametrize("chosen", ["in_memory", own_engine])
def test_only_stores_that_say_nothing_follow_the_settings(chosen: Any) -> None:
    topology = with_default_stores(
        program().build(), config(**{"dsl.store.suppliers.class": chosen})
    )
    found = engines(topology)
    assert {name for name, engine in found.items() if engine == chosen} - {"few"} == {
        "free", "global", "join-outer-this-join-store", "join-outer-other-join-store",
        "join-outer-shared-join-store",
    }  # fmt: skip
    assert {found[name] for name in ("disk", "versions", "mine")} == {"rocksdb"}
    assert found["few"] == "in_memory"


class Keep(ValueTransformerWithKey[Any, Any, Any]):
    def transform(self, key: Any, value: Any) -> Any:
        return value


def test_named_views_of_a_table_follow_the_settings_too() -> None:
    builder = StreamsBuilder()
    table = builder.table("rows")
    table.filter(lambda key, value: True, Materialized("filtered"))
    table.map_values(str, Materialized("mapped"))
    table.transform_values(Keep, Materialized("transformed"))
    found = engines(with_default_stores(builder.build(), config(**IN_MEMORY)))
    assert {found[name] for name in ("filtered", "mapped", "transformed")} == {"in_memory"}


def test_without_settings_the_topology_is_the_same() -> None:
    topology = program().build()
    assert with_default_stores(topology, config()) is topology


def test_what_the_builder_was_told_is_not_changed_again() -> None:
    topology = program().build(IN_MEMORY)
    assert engines(with_default_stores(topology, config()))["free"] == "in_memory"


@pytest.mark.parametrize(
    ("given", "engine"),
    [
        ({}, "rocksdb"),
        (IN_MEMORY, "in_memory"),
        ({**IN_MEMORY, "dsl.store.suppliers.class": "rocksdb"}, "rocksdb"),
        ({"dsl.store.suppliers.class": f"{JAVAS}InMemoryDslStoreSuppliers"}, "in_memory"),
        ({**IN_MEMORY, "dsl.store.suppliers.class": f"{JAVAS}RocksDBDslStoreSuppliers"}, "rocksdb"),
    ],
)
def test_the_class_of_suppliers_goes_before(given: dict[str, Any], engine: str) -> None:
    assert config(**given).dsl_engine == engine


def kinds(topology: Any) -> dict[str, str]:
    of_all = {name: nodes.store for name, nodes in topology.global_stores.items()}
    return {name: store.kind for name, store in {**topology.stores, **of_all}.items()}


def test_tables_and_aggregates_on_disk_can_hold_headers() -> None:
    builder = program()
    grouped = builder.stream("more").group_by_key()
    grouped.count(Materialized("memory", store="in_memory"))
    grouped.count(Materialized("own", store=own_engine))
    grouped.windowed_by(TimeWindows.of_size(5)).count(Materialized("windows"))
    grouped.windowed_by(SessionWindows.of_inactivity_gap(5)).count(Materialized("sessions"))
    builder.add_state_store(Stores.timestamped_key_value_store("processors"))
    topology = builder.build()
    found = kinds(with_default_stores(topology, config(**{"dsl.store.format": "headers"})))
    assert {name: found[name] for name, kind in kinds(topology).items() if found[name] != kind} == {
        "free": "timestamped_key_value_with_headers",
        "disk": "timestamped_key_value_with_headers",
        "global": "timestamped_key_value_with_headers",
        "windows": "timestamped_window_with_headers",
        "sessions": "session_with_headers",
    }
    in_memory = config(**IN_MEMORY, **{"dsl.store.format": "HEADERS"})
    assert kinds(with_default_stores(topology, in_memory))["free"] == "timestamped_key_value"


@pytest.mark.parametrize(
    "key", ["default.dsl.store", "dsl.store.suppliers.class", "dsl.store.format"]
)
@pytest.mark.parametrize("wrong", ["lmdb", 5, None])
def test_other_values_are_refused(key: str, wrong: object) -> None:
    with pytest.raises(ConfigError, match=rf"setting '{key}'"):
        config(**{key: wrong})
