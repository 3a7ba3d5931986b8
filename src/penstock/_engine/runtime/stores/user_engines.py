"""Store engines written by users: open them, and delete the state that they keep elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from penstock._engine.planner.plan import StorePlan, plan_global_stores, plan_subtopologies
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import TaskDirectory
from penstock._engine.topology.topology import Topology
from penstock.stores import OpenEngine, StorePlace
from penstock.stores._open_engine import destroy_state, open_engine


def own_engine_of(plan: StorePlan) -> OpenEngine | None:
    """Return the function that opens the engine of a store, None for a built-in engine."""
    engine = plan.builder.engine
    return None if isinstance(engine, str) else engine


def open_own_engine(
    opens: OpenEngine, plan: StorePlan, application_id: str, directory: TaskDirectory
) -> StoreEngine:
    """Open the user's engine of a store of a task."""
    return open_engine(opens, _place(plan.builder.name, application_id, directory))


def destroy_own_state(topology: Topology, application_id: str, directory: TaskDirectory) -> None:
    """Delete what the user's engines keep for a task outside its directory."""
    number, _, _ = directory.path.name.partition("_")
    plans = {str(plan.id): plan for plan in plan_subtopologies(topology, application_id)}
    plan = plan_global_stores(topology) if number == "global" else plans.get(number)
    if plan is not None:
        destroy_own_stores(plan.stores.values(), application_id, directory)


def destroy_own_stores(
    stores: Iterable[StorePlan], application_id: str, directory: TaskDirectory
) -> None:
    """Delete what the user's engines keep for stores of a task outside its directory."""
    for store in stores:
        opens = own_engine_of(store)
        if opens is not None:
            destroy_state(opens, _place(store.builder.name, application_id, directory))


def _place(store: str, application_id: str, directory: TaskDirectory) -> StorePlace:
    return StorePlace(application_id, directory.path.name, store, directory.own_path(store))
