"""How a store uses RocksDB: Java's defaults, changed by the user's `rocksdb.config.setter`.

```python
def compress(store_name: str, settings: RocksDbSettings) -> None:
    settings.compression = "lz4"
    if store_name == "orders":
        settings.block_cache_bytes = 200 * 1024 * 1024
```
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

CompactionStyle: TypeAlias = Literal["universal", "level"]
"""RocksDB's third style, fifo, deletes the oldest entries when its space is full: no store may do
that.
"""

Compression: TypeAlias = Literal["none", "snappy", "zlib", "bz2", "lz4", "lz4hc", "zstd"]

_MIB = 1024 * 1024


@dataclass(slots=True)
class RocksDbSettings:
    """The settings of one store of one task: memory adds up over stores and tasks. Java:
    RocksDBConfigSetter's Options.
    """

    block_cache_bytes: int = 50 * _MIB
    """Memory for blocks that were read; the setting `rocksdb.block.cache.size` changes it for all
    stores.
    """

    block_size_bytes: int = 4096
    """About how many bytes are read at once."""

    write_buffer_bytes: int = 16 * _MIB
    """Memory for changes before they become a file."""

    write_buffer_count: int = 3
    """How many write buffers there may be, full ones included."""

    bloom_filter_bits_per_key: int = 10
    """Bits per key of the bloom filter of each file; 0 for no filter."""

    cache_index_and_filter_blocks: bool = False
    """Whether the block cache also limits the memory of indexes and filters."""

    max_open_files: int = -1
    """How many files of the store may be open; -1: all. With fewer, reads open them again."""

    level0_file_num_compaction_trigger: int = 4
    """How many files of the first level begin a compaction."""

    level0_slowdown_writes_trigger: int = 20
    """With how many files of the first level writes are slowed down."""

    level0_stop_writes_trigger: int = 36
    """With how many files of the first level writes wait for compactions."""

    max_bytes_for_level_base: int = 256 * _MIB
    """How large the second level may be; only for the compaction style `level`."""

    compaction_style: CompactionStyle = "universal"

    compression: Compression = "none"


RocksDbConfigSetter: TypeAlias = Callable[[str, RocksDbSettings], None]
"""`setter(store_name, settings)` changes the settings of a store."""


def settings_for(store_name: str, config: StreamsConfig) -> RocksDbSettings:
    """Return the settings of a store, changed by the user's setter if there is one.

    Raises:
        ConfigError: The setter failed, or left a value that RocksDB cannot have.
    """
    settings = RocksDbSettings(block_cache_bytes=config.rocksdb_block_cache_bytes)
    setter = config.rocksdb_config_setter
    if setter is None:
        return settings
    subject = f"'rocksdb.config.setter' for store {store_name!r}"
    try:
        returned: object = setter(store_name, settings)
    except Exception as error:
        msg = f"{subject} must not fail; got {type(error).__name__}: {error}"
        raise ConfigError(msg) from error
    if returned is not None:
        msg = f"{subject} must change the settings it is given and return None; got {returned!r}"
        raise ConfigError(msg)
    _check(settings, subject)
    return settings


def _check(settings: RocksDbSettings, subject: str) -> None:
    choices: dict[str, tuple[str, ...]] = {
        "compaction_style": get_args(CompactionStyle),
        "compression": get_args(Compression),
    }
    # A bloom filter of 0 bits is none; every other number is a size or a count of something.
    smallest = {"bloom_filter_bits_per_key": 0, "block_cache_bytes": 0, "max_open_files": -1}
    for field in fields(settings):
        name = field.name
        value = getattr(settings, name)
        if name in choices:
            fits, expected = value in choices[name], f"one of {', '.join(choices[name])}"
        elif isinstance(field.default, bool):
            fits, expected = isinstance(value, bool), "True or False"
        else:
            minimum = smallest.get(name, 1)
            fits = isinstance(value, int) and not isinstance(value, bool) and value >= minimum
            expected = f"a whole number of at least {minimum}"
        if not fits:
            msg = f"{subject}: {name} must be {expected}; got {value!r}"
            raise ConfigError(msg)
