"""Checks that a worker fits into `spark.executor.pyspark.memory`.

That limits virtual memory, of which RocksDB and librdkafka reserve more than they use. A worker
that does not fit fails at any allocation, in the middle of its work.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Mapping

from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.state.rocksdb.settings import settings_for

_log = logging.getLogger(__name__)

_SETTING = "spark.executor.pyspark.memory"
_MIB = 1024 * 1024
_UNITS_MIB = {"": 1, "k": 1 / 1024, "kb": 1 / 1024, "m": 1, "mb": 1, "g": 1024, "gb": 1024}
_UNITS_MIB |= {"t": 1024 * 1024, "tb": 1024 * 1024}

# Measured: Python, Arrow, and the threads of the five Kafka clients, each with a stack of its own.
_PROCESS_MIB = 1400
# What librdkafka may queue: 128 to be written, 64 of the inputs, 64 of changelogs.
_CLIENTS_MIB = 256


def warn_of_memory(conf: Mapping[str, str], blueprint: Blueprint, slots: int) -> None:
    """Log a warning if the limit is less than a worker may need."""
    allowed = allowed_mib(conf)
    needed = needed_mib(blueprint, slots)
    if allowed is not None and allowed < needed:
        _log.warning(
            "%s allows a worker %d MiB of virtual memory, and it may need %d: %d for the process, "
            "%d for what the Kafka clients queue, the rest for RocksDB and the record caches; "
            "raise the setting to %d MiB for each core of an executor, or leave it out",
            _SETTING,
            allowed,
            needed,
            _PROCESS_MIB,
            _CLIENTS_MIB,
            needed,
        )


def allowed_mib(conf: Mapping[str, str]) -> int | None:
    """Return the limit of one worker: the cores of an executor share it. None: no limit."""
    given = conf.get(_SETTING)
    match = re.fullmatch(r"(\d+)([a-z]*)", (given or "").strip().lower())
    if match is None or match[2] not in _UNITS_MIB:
        return None  # not set, or Spark will say what is wrong with it
    return int(int(match[1]) * _UNITS_MIB[match[2]]) // int(conf.get("spark.executor.cores") or 1)


def needed_mib(blueprint: Blueprint, slots: int) -> int:
    """Return the virtual memory that one of `slots` workers may need for its share of tasks."""
    stores_bytes = 0
    for task in blueprint.tasks:
        for store in task.subtopology.stores.values():
            if store.builder.engine == "rocksdb":
                chosen = settings_for(store.builder.name, blueprint.config)
                buffers = chosen.write_buffer_bytes * chosen.write_buffer_count
                stores_bytes += chosen.block_cache_bytes + buffers
    state = stores_bytes / max(1, slots) + blueprint.config.cache_bytes_max
    return _PROCESS_MIB + _CLIENTS_MIB + math.ceil(state / _MIB)
