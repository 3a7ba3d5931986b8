"""RocksDB options from our settings, and those that users cannot set. Java: RocksDBStore.openDB."""

from __future__ import annotations

import os

from rocksdict import BlockBasedOptions, Cache, DBCompactionStyle, DBCompressionType, Options

from penstock._engine.state.rocksdb.settings import RocksDbSettings


def data_options(settings: RocksDbSettings) -> Options:
    """Return the options of the database and of the column family that holds the entries."""
    options = _database_options()
    options.set_max_open_files(settings.max_open_files)
    options.set_block_based_table_factory(_table_options(settings))
    options.set_optimize_filters_for_hits(True)
    options.set_write_buffer_size(settings.write_buffer_bytes)
    options.set_max_write_buffer_number(settings.write_buffer_count)
    options.set_level_zero_file_num_compaction_trigger(settings.level0_file_num_compaction_trigger)
    options.set_level_zero_slowdown_writes_trigger(settings.level0_slowdown_writes_trigger)
    options.set_level_zero_stop_writes_trigger(settings.level0_stop_writes_trigger)
    options.set_max_bytes_for_level_base(settings.max_bytes_for_level_base)
    options.set_compaction_style(getattr(DBCompactionStyle, settings.compaction_style)())
    options.set_compression_type(getattr(DBCompressionType, settings.compression)())
    return options


def offset_options() -> Options:
    """Return the options of the column family that holds the changelog offset, and only that."""
    options = Options(raw_mode=True)
    # When its buffer is full the entries are flushed too: it must hold thousands of commits.
    options.set_write_buffer_size(1024 * 1024)
    options.set_compression_type(DBCompressionType.none())
    return options


def _database_options() -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    # Entries and offset become files together, and the log of both can go. Without it the offset's
    # few bytes would keep old logs alive, up to 200 MB, all of it read again after a kill.
    options.set_atomic_flush(True)
    # Java logs errors only; the binding cannot say that, so the log is kept short instead.
    options.set_max_log_file_size(1024 * 1024)
    options.set_keep_log_file_num(2)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.increase_parallelism(max(os.cpu_count() or 1, 2))
    return options


def _table_options(settings: RocksDbSettings) -> BlockBasedOptions:
    table = BlockBasedOptions()
    table.set_block_size(settings.block_size_bytes)
    table.set_cache_index_and_filter_blocks(settings.cache_index_and_filter_blocks)
    if settings.block_cache_bytes:
        table.set_block_cache(Cache(settings.block_cache_bytes))
    else:
        table.disable_cache()
    if settings.bloom_filter_bits_per_key:
        table.set_bloom_filter(settings.bloom_filter_bits_per_key, block_based=False)
    return table
