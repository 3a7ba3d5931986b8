"""Engines of the user's own: which place is whose, and what is destroyed with a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, Topology, serdes
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.runtime.stores.user_engines import (
    destroy_own_state,
    open_own_engine,
    own_engine_of,
)
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.application import KafkaStreams
from penstock.stores import StorePlace

TEXT = serdes.string()


class Noted(MemoryStore):
    """An engine that notes where it is opened and destroyed."""

    seen: list[tuple[str, StorePlace]] = []  # noqa: RUF012 - it is of all

    def __init__(self, place: StorePlace) -> None:
        super().__init__()
        self.place = place
        self.seen.append(("opened", place))

    def destroy(self) -> None:
        self.seen.append(("destroyed", self.place))
        self.close()


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    Noted.seen.clear()


def program() -> Topology:
    """A count in a sub-topology behind a topic, a global table, and a table with no own engine."""
    builder = StreamsBuilder()
    read = Consumed(TEXT, TEXT)
    (
        builder.stream("in", read)
        .group_by(lambda key, value: value, Grouped("by-value", TEXT, TEXT))
        .count(Materialized("counts", store=Noted))
    )
    builder.global_table("all", read, Materialized("everywhere", store=Noted))
    builder.table("rows", read, Materialized("plain"))
    return builder.build()


def plan_of(store: str) -> Any:
    plans = plan_subtopologies(program(), "app")
    return next(plan.stores[store] for plan in plans if store in plan.stores)


def test_only_engines_of_the_users_own_are_opened_here() -> None:
    assert own_engine_of(plan_of("counts")) is Noted
    assert own_engine_of(plan_of("plain")) is None


def test_a_place_tells_application_task_store_and_a_directory(tmp_path: Path) -> None:
    with StateDirectory(tmp_path, "app").lock_task("1_3") as directory:
        engine: StoreEngine = open_own_engine(Noted, plan_of("counts"), "app", directory)
        engine.close()
    [(_, place)] = Noted.seen
    assert place == StorePlace("app", "1_3", "counts", tmp_path / "app" / "1_3" / "own" / "counts")


@pytest.mark.parametrize(
    ("task", "stores"),
    [("1_0", ["counts"]), ("0_0", []), ("global_x", ["everywhere"]), ("7_0", [])],
)
def test_what_a_task_has_elsewhere_is_destroyed(
    task: str, stores: list[str], tmp_path: Path
) -> None:
    with StateDirectory(tmp_path, "app").lock_task(task) as directory:
        destroy_own_state(program(), "app", directory)
    assert [place.store for what, place in Noted.seen if what == "destroyed"] == stores


def test_clean_up_destroys_it_too(tmp_path: Path) -> None:
    for task in ("1_0", "1_1"):
        StateDirectory(tmp_path, "app").lock_task(task).release()
    settings = {
        "application.id": "app",
        "bootstrap.servers": "localhost:1",
        "state.dir": str(tmp_path),
    }
    KafkaStreams(program(), settings).clean_up()
    destroyed = [place.task_id for what, place in Noted.seen if what == "destroyed"]
    assert destroyed == ["1_0", "1_1"]
    assert not (tmp_path / "app").exists()
