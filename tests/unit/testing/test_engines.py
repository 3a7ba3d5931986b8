"""The engines of a driver's stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import Stores, serdes
from penstock._engine.planner.plan import StorePlan
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.errors import StateClosedError
from penstock.stores import StorePlace
from penstock.stores._open_engine import InBytes
from penstock.testing.engines import DriverEngines

TEXT = serdes.string()


class OnDisk(MemoryStore):
    """An engine that has a file in its place."""

    def __init__(self, place: StorePlace) -> None:
        super().__init__()
        place.directory.mkdir(parents=True, exist_ok=True)
        self.file = place.directory / "rows"
        self.file.touch()


def plan(name: str, store: type[OnDisk] | None) -> StorePlan:
    builder = (
        Stores.persistent_key_value_store(name, key=TEXT, value=TEXT)
        if store is None
        else Stores.key_value_store(name, key=TEXT, value=TEXT, store=store)
    )
    return StorePlan(builder, None, "topic")


def own_engine(engines: DriverEngines, store: str) -> OnDisk:
    opened = engines.open(plan(store, OnDisk))
    assert isinstance(opened, InBytes)
    assert isinstance(opened.engine, OnDisk)
    return opened.engine


def test_what_is_not_the_users_own_is_in_memory() -> None:
    engines = DriverEngines("app", "0_0")
    assert type(engines.open(plan("s", None))) is MemoryStore
    engines.close()


def test_each_store_has_its_directory_which_is_gone_in_the_end() -> None:
    engines = DriverEngines("app", "0_0")
    first, second = (own_engine(engines, name) for name in ("s", "t"))
    assert first.file != second.file
    assert first.file.parent.parent == second.file.parent.parent
    first.close()
    second.close()
    engines.close()
    assert not first.file.parent.parent.exists()
    with pytest.raises(StateClosedError):
        first.get(b"a")


def test_two_drivers_of_one_application_have_nothing_in_common() -> None:
    places: list[Path] = []
    for _ in range(2):
        engines = DriverEngines("app", "0_0")
        engine = own_engine(engines, "s")
        places.append(engine.file)
        engine.close()
        engines.close()
    assert len(set(places)) == 2
