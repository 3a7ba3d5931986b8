"""The engines of a test driver's stores: memory, or the user's own where the program says so.

Engines of the user's own are opened at places that nothing else uses, and are emptied in the end.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir

from penstock._clock import new_id
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.stores.task_stores import memory_engine
from penstock._engine.runtime.stores.user_engines import own_engine_of
from penstock._engine.state.contract import StoreEngine
from penstock.stores import StorePlace
from penstock.stores._open_engine import destroy_state, open_engine


class DriverEngines:
    """Opens the engines of one driver."""

    def __init__(self, application_id: str, task_id: str) -> None:
        # A real application may have the same name, and use the same server.
        self._application_id = f"{application_id}-{new_id()}"
        self._task_id = task_id
        self._at_end = ExitStack()
        self.folder = Path(gettempdir()) / self._application_id
        """Where files of this driver go; nothing else uses it, and it is deleted in the end."""
        self._at_end.callback(rmtree, self.folder, ignore_errors=True)

    def open(self, plan: StorePlan) -> StoreEngine:
        """Open the engine of a store; only those of the user's own are not in memory."""
        opens = own_engine_of(plan)
        if opens is None:
            return memory_engine(plan)
        name = plan.builder.name
        place = StorePlace(self._application_id, self._task_id, name, self.folder / name)
        engine = open_engine(opens, place)
        self._at_end.callback(destroy_state, opens, place)
        return engine

    def close(self) -> None:
        """Delete what the stores, which must be closed, have left."""
        self._at_end.close()
