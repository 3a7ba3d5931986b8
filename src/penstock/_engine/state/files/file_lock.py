"""A lock file that one process at a time may hold, and that names its holder.

The kernel releases the lock when the holder dies. A child forked from the holder, as by a process
pool in a user's function, closes its copy at once: an orphan would keep the lock.
"""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

from penstock._engine.state.files.private_files import make_private

_held: WeakSet[FileLock] = WeakSet()


class FileLock:
    """A lock that is held. Two holders exclude each other also within one process."""

    __slots__ = ("__weakref__", "_descriptor", "path")

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor: int | None = descriptor
        self.path = path
        _held.add(self)

    @classmethod
    def take(cls, path: Path) -> FileLock | None:
        """Take the lock, making the file and its directory; None if it is held."""
        while True:
            make_private(path.parent)
            try:
                descriptor = os.open(
                    path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o640
                )
            except FileNotFoundError:  # the directory has just been removed
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_file_at(path, descriptor):
                    _write_holder(descriptor)
                    return cls(descriptor, path)
            except BlockingIOError:
                os.close(descriptor)
                return None
            except OSError:
                os.close(descriptor)
                raise
            # The last holder removed the file after we had opened it: a lock on it excludes no
            # other process.
            os.close(descriptor)

    def duplicate(self) -> int:
        """Return a descriptor, to be closed by the caller: a process that inherits it holds the
        lock as well, also after this one has died.
        """
        assert self._descriptor is not None
        return os.dup(self._descriptor)

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # A disk that cannot be written to must not keep the lock.
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            try:
                # Closing alone would leave the lock to a forked child.
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            finally:
                os.close(descriptor)

    def forget(self) -> None:
        """Close the copy of a forked child; the parent keeps the lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def remove(self) -> None:
        """Delete the file, then release the lock."""
        self.path.unlink(missing_ok=True)
        self.release()


def _forget_all() -> None:
    for lock in list(_held):
        lock.forget()


os.register_at_fork(after_in_child=_forget_all)


def holder_of(path: Path) -> str:
    """Return the holder that the file names, as text."""
    said = ""
    with suppress(OSError, UnicodeDecodeError):
        said = path.read_text(encoding="utf-8")
    pid, _, host = said.strip().partition(" ")
    return f"process {pid} on host {host!r}" if pid.isdigit() else "another process"


def _is_file_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _write_holder(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
