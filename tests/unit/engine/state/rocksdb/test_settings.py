"""RocksDB's settings: Java's defaults, changed by a setter that is not trusted."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.state.rocksdb.settings import RocksDbSettings
from penstock._engine.state.rocksdb.settings import settings_for as settings_of
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig


def test_the_defaults_are_those_of_kafka_streams() -> None:
    assert settings_for("counts", None) == RocksDbSettings(
        block_cache_bytes=52_428_800,
        block_size_bytes=4_096,
        write_buffer_bytes=16_777_216,
        write_buffer_count=3,
        bloom_filter_bits_per_key=10,
        cache_index_and_filter_blocks=False,
        level0_file_num_compaction_trigger=4,
        level0_slowdown_writes_trigger=20,
        level0_stop_writes_trigger=36,
        max_bytes_for_level_base=268_435_456,
        compaction_style="universal",
        compression="none",
    )


def settings_for(store_name: str, setter: Any, **more: Any) -> RocksDbSettings:
    given = {"application.id": "app", **more}
    if setter is not None:
        given["rocksdb.config.setter"] = setter
    return settings_of(store_name, StreamsConfig(given))


def test_the_size_of_the_block_cache_is_a_setting_that_a_setter_can_change_again() -> None:
    def setter(store_name: str, settings: RocksDbSettings) -> None:
        settings.block_cache_bytes *= 2

    size = {"rocksdb.block.cache.size": 1_000}
    assert settings_for("counts", None, **size).block_cache_bytes == 1_000
    assert settings_for("counts", setter, **size).block_cache_bytes == 2_000


def test_a_setter_changes_the_settings_of_the_store_it_is_asked_for() -> None:
    def setter(store_name: str, settings: RocksDbSettings) -> None:
        settings.compression = "lz4"
        if store_name == "orders":
            settings.block_cache_bytes = 1

    assert settings_for("orders", setter) == RocksDbSettings(compression="lz4", block_cache_bytes=1)
    assert settings_for("counts", setter) == RocksDbSettings(compression="lz4")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("compression", "lzma", "must be one of none, snappy, zlib, bz2, lz4, lz4hc, zstd"),
        ("compaction_style", "fifo", "must be one of universal, level; got 'fifo'"),
        ("write_buffer_bytes", 0, "must be a whole number of at least 1; got 0"),
        ("write_buffer_count", True, "must be a whole number of at least 1; got True"),
        ("block_cache_bytes", -1, "must be a whole number of at least 0; got -1"),
        ("block_size_bytes", 4096.0, "must be a whole number of at least 1; got 4096.0"),
        ("level0_stop_writes_trigger", 0, "must be a whole number of at least 1; got 0"),
        ("cache_index_and_filter_blocks", 1, "must be True or False; got 1"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_the_store(
    name: str, value: object, expected: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        settings_for("counts", lambda store, settings: setattr(settings, name, value))
    assert str(refused.value).startswith(f"'rocksdb.config.setter' for store 'counts': {name} ")
    assert expected in str(refused.value)


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ConfigError, match="no attribute 'block_cashe'"):
        settings_for("counts", lambda store, settings: setattr(settings, "block_cashe", 1))


def test_a_setter_that_fails_is_named() -> None:
    def setter(store_name: str, settings: RocksDbSettings) -> None:
        raise KeyError(store_name)

    with pytest.raises(ConfigError, match="for store 'counts' must not fail; got KeyError"):
        settings_for("counts", setter)


def test_settings_that_are_returned_instead_of_changed_are_refused() -> None:
    setter: Any = lambda store, settings: RocksDbSettings(compression="lz4")  # noqa: E731
    with pytest.raises(ConfigError, match="must change the settings it is given and return None"):
        settings_for("counts", setter)
