"""A store of a task over an engine, as the runtime puts it together: for the contract tests of
stores of windows, sessions and versions.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from penstock import StreamsConfig
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import Output
from penstock._engine.runtime.stores.task_stores import StoreSite, TaskStore
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.stores import StoreBuilder
from tests.stores.engines import EngineCase

CACHE_BYTES = 10_000_000


class Survivor:
    """Stands before an engine in memory: what is in it survives a close, as on disk."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine
        self.get, self.scan, self.collect = engine.get, engine.scan, engine.collect
        self.write, self.changelog_offset = engine.write, engine.changelog_offset
        self.approximate_num_entries = engine.approximate_num_entries

    def close(self) -> None:
        """Keep everything."""


class Bench:
    """One store of a task. It can be committed, aborted, opened again and restored elsewhere."""

    def __init__(self, builder: StoreBuilder, engine: EngineCase) -> None:
        self.builder = builder
        self.dropped = 0
        self.changelog: list[tuple[bytes, bytes | None, int]] = []
        """What was committed to it."""
        self.position = Position()
        self._collector = Collector(lambda topic: 1)
        self._case = engine
        self._folder = TemporaryDirectory() if engine.lasts else None
        self._memory: StoreEngine = MemoryStore()
        self.store = self._open()

    @property
    def face(self) -> Any:
        """The store as a processor sees it."""
        return self.store.face

    def commit(self) -> None:
        """Flush the cache and make all changes part of the engine."""
        self.store.flush()
        self.changelog += [
            (key or b"", value, timestamp or 0)
            for _, _, key, value, timestamp, _ in self._collector.drain()
        ]
        self.store.commit(len(self.changelog))

    def sent(self) -> list[Output]:
        """Take what was sent to the changelog since the last commit."""
        return list(self._collector.drain())

    def abort(self) -> None:
        """Forget what is not committed: the store is closed and opened again."""
        self._collector.drain()
        self.store.close()
        self.store = self._open()

    def restored(self, batch: int) -> TaskStore:
        """Return another store that was restored from the changelog."""
        store = TaskStore(self._plan(), self._site(lambda plan: MemoryStore()))
        for at in range(0, len(self.changelog), batch):
            store.restore(self.changelog[at : at + batch], at + batch)
        return store

    def close(self) -> None:
        """Close the store and delete everything."""
        self.store.close()
        if self._folder is not None:
            self._folder.cleanup()

    def _open(self) -> TaskStore:
        return TaskStore(self._plan(), self._site(self._open_engine))

    def _plan(self) -> StorePlan:
        return StorePlan(self.builder, "changelog", "changelog")

    def _site(self, open_engine: Any) -> StoreSite:
        return StoreSite(
            0,
            StreamsConfig({"application.id": "app"}),
            self._collector,
            self.position,
            open_engine,
            CacheBudget(CACHE_BYTES),
            self._drop,
        )

    def _open_engine(self, plan: StorePlan) -> Any:
        if self._folder is not None:
            return self._case.open(Path(self._folder.name) / "store")
        return Survivor(self._memory)

    def _drop(self) -> None:
        self.dropped += 1
