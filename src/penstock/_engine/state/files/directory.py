"""The local state of an application: its directories and their locks. Java: StateDirectory.

```
<state.dir>/<application.id>/
    0_1/                      a task; the process that works on it holds its lock
        .lock
        .attempt              of a process that has not committed yet, or died before it could
        .times                when each store was last complete
        rocksdb/<store>/
        own/<store>/          of an engine of the user's own
        user/                 files of the user's processors: context.state_dir
        damaged/<store>/      the damaged files of a store that were set aside last
    global_<member id>/       a worker's copy of the global tables
    members/<member id>       an identity in the group; its process holds the lock
    crashes/<member id>       of a process that runs, or how it died
```

Unlike Java's, a directory is shared by all processes of an application on one machine: the tasks
are locked one by one.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import Self

from penstock._engine.state.files.attempts import AttemptFile
from penstock._engine.state.files.crash_log import CrashLog
from penstock._engine.state.files.file_lock import FileLock, holder_of
from penstock._engine.state.files.open_files import too_many_files
from penstock._engine.state.files.state_times import StateTimes
from penstock.errors import ConfigError, StateError, StateLockedError

_TASK = re.compile(r"\d+_\d+|global_[^/]+")
_LOCK = ".lock"
_MEMBERS = "members"
_CRASHES = "crashes"
_ATTEMPT = ".attempt"
_TIMES = ".times"

# A handover takes as long as its old owner needs to commit and to close its stores.
_HANDOVER_SECONDS = 5.0
_RETRY_SECONDS = 0.05

# Each may be lost to a worker that starts in the same millisecond; this many in a row are no
# chance: `new_id` returns the same id.
_NEW_IDS_MAX = 100


def _do_nothing(task: TaskDirectory) -> None:
    """The default of `before`."""


class StateDirectory:
    """The directory of one application."""

    def __init__(self, state_dir: Path | str, application_id: str) -> None:
        self.application_id = application_id
        self.path = Path(state_dir) / _file_name(application_id, "'application.id'")

    def check_owner(self) -> None:
        """Refuse a directory that another user has made in a place open to all, as /tmp: that user
        could read the state, change it, or hold its locks.

        Raises:
            StateError: it is another user's.
        """
        state_dir = self.path.parent
        shared = _is_for_everybody(state_dir.parent)
        for path in (state_dir, self.path):
            try:
                owner = path.lstat().st_uid
            except OSError:
                continue
            if shared and owner not in {os.getuid(), 0}:
                msg = (
                    f"the state directory {path} belongs to another user (uid {owner}), who could "
                    "read and change what is in it; set 'state.dir' to a directory of your own"
                )
                raise StateError(msg, path)
            shared = shared or _is_for_everybody(path)

    def task_ids(self) -> list[str]:
        """Return the tasks that have left something here."""
        if not self.path.is_dir():
            return []
        return sorted(
            entry.name
            for entry in self.path.iterdir()
            if _TASK.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
        )

    def lock_task(
        self,
        task_id: str,
        *,
        wait_seconds: float = _HANDOVER_SECONDS,
        pause: Callable[[float], None] = time.sleep,
    ) -> TaskDirectory:
        """Take the directory of a task, waiting for an old owner that is about to leave it.

        Raises:
            StateLockedError: Another process still holds the task.
        """
        if not _TASK.fullmatch(task_id):
            msg = f"a task's id must look like '0_1'; got {task_id!r}"
            raise ValueError(msg)
        for _ in range(int(wait_seconds / _RETRY_SECONDS)):
            if task := self._try_lock(task_id):
                return task
            pause(_RETRY_SECONDS)
        if task := self._try_lock(task_id):
            return task
        raise self._locked(task_id, "started")

    def clean_up(self, before: Callable[[TaskDirectory], None] = _do_nothing) -> None:
        """Delete all local state of the application; other files stay. `before` is called with each
        task before it is deleted.

        Raises:
            StateLockedError: A task is running; nothing is deleted.
        """
        with ExitStack() as held:
            tasks = []
            for task_id in self.task_ids():
                task = self._try_lock(task_id)
                if task is None:
                    raise self._locked(task_id, "cleaned up")
                tasks.append(held.enter_context(task))
            for task in tasks:
                before(task)
                task.remove()
        for file in _member_files(self.path):
            if member := _take(file):
                member.remove()
        rmtree(self.path / _CRASHES, ignore_errors=True)
        for directory in (self.path / _MEMBERS, self.path):
            with suppress(OSError):  # it is missing, or it holds other files
                directory.rmdir()

    def dead_members(self) -> set[str]:
        """Return the member ids that no process on this machine uses now."""
        dead = set()
        for file in _member_files(self.path):
            if member := _take(file):
                dead.add(file.name)
                member.release()
        return dead

    def crash_log(self, member_id: str) -> CrashLog:
        """Return the crash log of the process with this id; it says how the last one died."""
        return CrashLog(self.path / _CRASHES / member_id)

    def _try_lock(self, task_id: str) -> TaskDirectory | None:
        path = self.path / task_id
        lock = _take(path / _LOCK)
        return None if lock is None else TaskDirectory(path, lock)

    def _locked(self, task_id: str, participle: str) -> StateLockedError:
        path = self.path / task_id
        msg = (
            f"task {task_id} of application {self.application_id!r} cannot be {participle}:"
            f" {path} is held by {holder_of(path / _LOCK)}; stop that process, or use another"
            f" 'state.dir'"
        )
        return StateLockedError(msg, path)


class TaskDirectory:
    """The directory of one task, held until `release` or `remove`."""

    __slots__ = ("_lock", "path")

    def __init__(self, path: Path, lock: FileLock) -> None:
        self.path = path
        self._lock = lock

    def store_path(self, store_name: str) -> Path:
        """Return the directory of a store on disk."""
        return self.path / "rocksdb" / _file_name(store_name, "a store's name")

    def own_path(self, store_name: str) -> Path:
        """Return the directory of a store that lives in an engine of the user's own."""
        return self.path / "own" / _file_name(store_name, "a store's name")

    def user_path(self) -> Path:
        """Return the directory for files of the user's processors."""
        return self.path / "user"

    def attempts(self) -> AttemptFile:
        """Return the marker file in which processes that died with this task are counted."""
        return AttemptFile(self.path / _ATTEMPT)

    def times(self) -> StateTimes:
        """Return the file that says when each store was last complete."""
        return StateTimes(self.path / _TIMES)

    def set_aside(self, store_name: str) -> Path:
        """Move the files of a closed store on disk out of the way, replacing those that were moved
        before; return their new path.
        """
        path = self.store_path(store_name)
        aside = self.path / "damaged" / path.name
        try:
            rmtree(aside, ignore_errors=True)
            aside.parent.mkdir(exist_ok=True)
            path.rename(aside)
        except OSError as error:
            msg = (
                f"the damaged state store in {path} cannot be moved to {aside}: {error}; move it"
                f" away by hand"
            )
            raise StateError(msg, path) from error
        return aside

    def delete_stores(self, stores: Iterable[str]) -> None:
        """Delete the files of some closed stores on disk."""
        for store in stores:
            path = self.store_path(store)
            try:
                rmtree(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                msg = f"the state store in {path} cannot be deleted: {error}; delete it by hand"
                raise StateError(msg, path) from error

    def wipe(self) -> None:
        """Delete the stores, which must be closed, and keep the lock."""
        try:
            for entry in self.path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    rmtree(entry)
                elif entry.name != _LOCK:
                    entry.unlink()
        except OSError as error:
            msg = (
                f"the state directory {self.path} cannot be deleted: {error}; delete it by hand"
                f" before the next start"
            )
            raise StateError(msg, self.path) from error

    def remove(self) -> None:
        """Delete the directory and release its lock."""
        self.wipe()
        self._lock.remove()
        with suppress(OSError):  # another process has it again already
            self.path.rmdir()

    def release(self) -> None:
        """Release the lock of the task, whose stores must be closed; a second call does nothing."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def claim_member_id(
    state_dir: Path | str, application_id: str, new_id: Callable[[], str]
) -> tuple[str, Callable[[], None]]:
    """Return a member id that no other process uses, and the function that releases it.

    The id of a process that has ended is used again: to the group, its replacement is the same
    member. Only if all are in use, `new_id` makes one; it must be globally unique, because
    containers may share a host name but not their disks.
    """
    directory = StateDirectory(state_dir, application_id)
    directory.check_owner()
    root = directory.path
    for file in _member_files(root):
        if lock := _take(file):
            return file.name, lock.release
    for _ in range(_NEW_IDS_MAX):
        file = root / _MEMBERS / _file_name(new_id(), "a member's id")
        # The file is there before it is locked: another worker that starts now may take it.
        if lock := _take(file):
            return file.name, lock.release
    msg = f"a new member's id must be unique; {file} is held by {holder_of(file)}"
    raise StateLockedError(msg, file)


def _is_for_everybody(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False


def _take(path: Path) -> FileLock | None:
    try:
        return FileLock.take(path)
    except OSError as error:
        why = f"{error.strerror}; check 'state.dir', its free space and its permissions"
        if error.errno in {errno.EMFILE, errno.ENFILE}:
            why = too_many_files()
        msg = f"the state directory {path.parent} cannot be used: {why}"
        raise StateError(msg, path.parent) from error


def _member_files(root: Path) -> list[Path]:
    members = root / _MEMBERS
    return sorted(members.iterdir()) if members.is_dir() else []


def _file_name(name: str, what: str) -> str:
    """Check that a name stays in its directory: the directory's files may be deleted."""
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        msg = f"{what} must be usable as the name of a directory; got {name!r}"
        raise ConfigError(msg)
    return name
