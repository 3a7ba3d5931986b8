"""Which engine a store has on a machine with disks."""

from __future__ import annotations

from pathlib import Path

from penstock import serdes
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.stores.engine_choice import open_in
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.settings import StreamsConfig
from penstock.stores import StorePlace, Stores
from penstock.stores._open_engine import InBytes

TEXT = serdes.string()


class OwnEngine(MemoryStore):
    """An engine of a user's own, which remembers its place."""

    def __init__(self, place: StorePlace) -> None:
        super().__init__()
        self.place = place


def test_a_store_has_the_engine_that_its_builder_says(tmp_path: Path) -> None:
    config = StreamsConfig({"application.id": "app"})
    kinds = []
    with StateDirectory(tmp_path, "app").lock_task("0_1") as directory:
        for engine in ("in_memory", "rocksdb", OwnEngine):
            builder = Stores.key_value_store("s", key=TEXT, value=TEXT, store=engine)
            opened = open_in(directory, StorePlan(builder, None, "t"), config, "its-name")
            opened = opened.engine if isinstance(opened, InBytes) else opened
            kinds.append(type(opened))
            if isinstance(opened, OwnEngine):
                assert (opened.place.application_id, opened.place.task_id) == ("its-name", "0_1")
            opened.close()
    assert kinds == [MemoryStore, RocksDbStore, OwnEngine]
