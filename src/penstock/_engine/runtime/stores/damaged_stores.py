"""Stores on disk whose files are damaged: they are set aside, and restored from their changelogs.

A store is found damaged when it is opened, or later, when a read or a write meets the damage. Then
its task is closed and opened again; before that, the stores noted here are set aside. Full disks,
permissions, locks and too many open files are no damage: see `state/rocksdb/refusals.py`. Java:
TaskCorruptedException.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from traceback import clear_frames

from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import TaskDirectory
from penstock.errors import StateCorruptedError, StateError, state_failure

_log = logging.getLogger(__name__)

_TIMES_MAX = 3


class DamagedStores:
    """The damaged stores that one worker process has met."""

    def __init__(self) -> None:
        self._noted: dict[Path, str] = {}
        """The message about each. Not the error itself: its frames would keep the files open."""
        self._times: Counter[Path] = Counter()

    def note(self, error: BaseException) -> StateCorruptedError | None:
        """Remember the store whose damage is behind `error`; None if no damage is."""
        damage = state_failure(error)
        if not isinstance(damage, StateCorruptedError) or damage.path is None:
            return None
        self._noted[damage.path] = damage.said
        _release_files(error)
        return damage

    def open(
        self,
        name: str,
        directory: TaskDirectory,
        open_engine: Callable[[], StoreEngine],
        *,
        rebuilt_from: str | None,
    ) -> StoreEngine:
        """Open the store of that name, an empty one if it is damaged and can be rebuilt from a
        topic.

        Raises:
            StateError: It is damaged and has no changelog, or is damaged again and again.
        """
        path = directory.store_path(name)
        said = self._noted.get(path)
        if said is None:
            try:
                return open_engine()
            except StateCorruptedError as error:
                if error.path != path:
                    raise
                said = error.said
                _release_files(error)
        self._set_aside(name, directory, said, rebuilt_from)
        self._noted.pop(path, None)
        return open_engine()

    def _set_aside(
        self,
        name: str,
        directory: TaskDirectory,
        said: str,
        rebuilt_from: str | None,
    ) -> None:
        path = directory.store_path(name)
        task = f"store {name!r} of task {directory.path.name}"
        if rebuilt_from is None:
            msg = (
                f"the files of {task} in {path} are damaged, and it has no changelog"
                f" (logging=False) to be rebuilt from: {said}; put a copy of the directory"
                f" in its place, or move it away to begin with an empty store"
            )
            raise StateError(msg, path)
        self._times[path] += 1
        if self._times[path] > _TIMES_MAX:
            msg = (
                f"the files of {task} in {path} were damaged {self._times[path]} times since this"
                f" worker started: {said}; the disk is failing: check it, or use another"
                f" 'state.dir'"
            )
            raise StateError(msg, path)
        aside = directory.set_aside(name)
        _log.warning(
            "%s is damaged and is rebuilt from %s; its files are kept in %s until the next"
            " damage or clean-up: %s",
            task,
            rebuilt_from,
            aside,
            said,
        )


def _release_files(error: BaseException | None) -> None:
    """Clear the frames of the failed functions: a RocksDB iterator in one of them keeps its
    database open and locked.
    """
    while error is not None:
        if error.__traceback__ is not None:
            clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
