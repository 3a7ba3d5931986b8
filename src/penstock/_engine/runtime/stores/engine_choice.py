"""Chooses the engine of a store on a machine with disks: in memory, the user's own, or RocksDB."""

from __future__ import annotations

from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.stores.user_engines import open_own_engine, own_engine_of
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import TaskDirectory
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock._engine.state.rocksdb.settings import settings_for
from penstock.settings import StreamsConfig


def open_in(
    directory: TaskDirectory, plan: StorePlan, config: StreamsConfig, application_id: str
) -> StoreEngine:
    """Open the engine of a store of the task that has this directory."""
    builder = plan.builder
    if builder.engine == "in_memory":
        return MemoryStore(f"state store {builder.name!r}, in memory,")
    opens = own_engine_of(plan)
    if opens is not None:
        return open_own_engine(opens, plan, application_id, directory)
    settings = settings_for(builder.name, config)
    path = directory.store_path(builder.name)
    return RocksDbStore(path, settings, counts=config.records_debug_metrics)
