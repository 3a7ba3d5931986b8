"""A folder of a driver in the directory for temporary files, which does not outlive it for long.

The driver holds a lock in its folder. A driver that was killed leaves its folder behind without a
holder of the lock; the next start on the machine deletes it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from penstock._engine.state.files.file_lock import FileLock

CHECKPOINT, SPARK = "penstock-checkpoint-", "penstock-spark-"
"""What the names begin with: of the checkpoint of a query, and of what the JVM and Python share."""

_LOCK = ".lock"

_removed_at_exit: set[HeldFolder] = set()


class HeldFolder:
    """A folder that is held until `remove`."""

    def __init__(self, prefix: str) -> None:
        sweep()
        self.path, self._lock = _make(prefix)

    def duplicate(self) -> int:
        """Return a descriptor, to be closed by the caller: a child that inherits it holds the
        folder as long as it lives.
        """
        return self._lock.duplicate()

    def remove_at_exit(self) -> None:
        """Remove the folder at the end of the process, after the program's own exit functions: one
        may close an application, whose JVM still makes sockets in the folder.
        """
        _removed_at_exit.add(self)

    def remove(self) -> None:
        """Delete the folder and release its lock; a second call does nothing."""
        _removed_at_exit.discard(self)
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.release()


@atexit.register
def _remove_all() -> None:
    # Registered first, it runs last.
    for folder in tuple(_removed_at_exit):
        folder.remove()


def sweep() -> None:
    """Delete the folders of this user's drivers that have died."""
    temporary = Path(tempfile.gettempdir())
    for folder in (*temporary.glob(f"{CHECKPOINT}*"), *temporary.glob(f"{SPARK}*")):
        # A folder without a lock file is just being made, or is an older version's.
        with suppress(OSError):
            if _is_ours(folder) and (folder / _LOCK).exists():
                lock = FileLock.take(folder / _LOCK)
                if lock is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    lock.release()


def _make(prefix: str) -> tuple[Path, FileLock]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        # None if a driver that sweeps was faster.
        lock = FileLock.take(folder / _LOCK)
        if lock is not None:
            return folder, lock


def _is_ours(folder: Path) -> bool:
    # All users share the directory for temporary files.
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
