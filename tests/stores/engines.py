"""The engines that the contract suite is run on. A new engine is one more line in ENGINES."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from penstock._engine.state.contract import BytesReader, StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock.stores import StorePlace
from tests.stores import redis_server
from tests.stores.redis_server import needs_redis

needs_rocksdb = pytest.mark.skipif(
    find_spec("rocksdict") is None, reason="RocksDB is not installed; make engine installs it"
)


@dataclass(frozen=True)
class EngineCase:
    """How to open an engine; one that lasts is found again at the same path."""

    open: Callable[[Path], StoreEngine]
    lasts: bool


def open_rocksdb(path: Path) -> StoreEngine:
    # Imported here: without RocksDB the suite still runs on the other engines.
    from penstock._engine.state.rocksdb.key_value import RocksDbStore  # noqa: PLC0415

    return RocksDbStore(path)


def open_spilling(path: Path) -> StoreEngine:
    # Imported here for the same reason.
    from penstock._engine.state.spilling import SpillingStore  # noqa: PLC0415

    return SpillingStore(lambda: open_rocksdb(path), limit_bytes=1000)


def open_redis(path: Path) -> StoreEngine:
    # Imported here: without Redis the suite still runs on the other engines.
    from examples.redis_store import RedisEngine  # noqa: PLC0415

    place = StorePlace(str(path), "0_0", path.name, path)
    return RedisEngine.at(redis_server.address())(place)


ENGINES: dict[str, EngineCase] = {
    "memory": EngineCase(lambda path: MemoryStore(), lasts=False),
    "rocksdb": EngineCase(open_rocksdb, lasts=True),
    "spilling": EngineCase(open_spilling, lasts=False),
    "redis": EngineCase(open_redis, lasts=True),
}

MARKS = {"rocksdb": needs_rocksdb, "spilling": needs_rocksdb, "redis": needs_redis}


def engine_names(*, lasting: bool = False) -> list[ParameterSet]:
    """Return the names of the engines (only the lasting ones, if so asked) as test parameters."""
    return [
        pytest.param(name, marks=MARKS.get(name, ()))
        for name, case in ENGINES.items()
        if case.lasts or not lasting
    ]


Changes = Mapping[bytes, bytes | None]


@dataclass
class Subject:
    """Something to read from, and how it is changed."""

    reader: BytesReader
    change: Callable[[Changes], None]

    def entries(
        self, start: bytes | None = None, end: bytes | None = None, *, reverse: bool = False
    ) -> list[tuple[bytes, bytes]]:
        return list(self.reader.scan(start, end, reverse=reverse))


def _engine(engine: StoreEngine) -> Subject:
    return Subject(engine, lambda changes: engine.write(changes, None))


def _overlay(engine: StoreEngine) -> Subject:
    overlay = Overlay(engine)
    return Subject(overlay, lambda changes: _change(overlay, changes))


def _overlay_applied_now_and_then(engine: StoreEngine) -> Subject:
    """Every second change reaches the engine, with what came before it."""
    overlay = Overlay(engine)
    turns = _turns()

    def change(changes: Changes) -> None:
        _change(overlay, changes)
        if next(turns):
            overlay.apply(None)

    return Subject(overlay, change)


def _turns() -> Iterator[bool]:
    while True:
        yield True
        yield False


def _change(overlay: Overlay, changes: Changes) -> None:
    for key, value in changes.items():
        if value is None:
            overlay.delete(key)
        else:
            overlay.put(key, value)


SUBJECTS: dict[str, Callable[[StoreEngine], Subject]] = {
    "engine": _engine,
    "overlay": _overlay,
    "overlay applied now and then": _overlay_applied_now_and_then,
}
