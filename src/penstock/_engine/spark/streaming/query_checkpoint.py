"""The checkpoint folder of a query: Spark requires one, and nothing in it is needed again. It is on
the driver's disk, whatever file system is Spark's default: only the driver writes to it.

The driver holds a lock in its folder. A driver that was killed leaves its folder behind without a
holder of the lock; the next start on the machine deletes it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from penstock._engine.state.files.file_lock import FileLock

_PREFIX = "penstock-checkpoint-"
_LOCK = ".lock"


class CheckpointFolder:
    """A folder for one query, held until `remove`."""

    def __init__(self) -> None:
        sweep()
        folder, lock = _make()
        self._folder, self._lock = folder, lock
        # A path without a scheme would be one of the default file system, and never removed there.
        self.location = (folder / "query").absolute().as_uri()
        """The checkpoint location for Spark."""

    def remove(self) -> None:
        """Delete the folder and release its lock; a second call does nothing."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.release()


def sweep() -> None:
    """Delete the folders of this user's drivers that have died."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # A folder without a lock file is just being made, or is an older version's.
        with suppress(OSError):
            if _is_ours(folder) and (folder / _LOCK).exists():
                lock = FileLock.take(folder / _LOCK)
                if lock is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    lock.release()


def _make() -> tuple[Path, FileLock]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        # None if a driver that sweeps was faster.
        lock = FileLock.take(folder / _LOCK)
        if lock is not None:
            return folder, lock


def _is_ours(folder: Path) -> bool:
    # All users share the directory for temporary files.
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
