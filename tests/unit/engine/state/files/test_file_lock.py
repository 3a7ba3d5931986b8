"""A lock that processes and threads exclude each other with, and that outlives no holder."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock._engine.state.files.file_lock import FileLock, holder_of

PATIENCE_SECONDS = 30.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0_1" / ".lock"


def taken(path: Path) -> FileLock:
    lock = FileLock.take(path)
    assert lock is not None
    return lock


def test_a_lock_is_held_by_one(path: Path) -> None:
    lock = taken(path)
    assert FileLock.take(path) is None
    lock.release()
    taken(path).release()


def test_releasing_twice_does_not_release_the_next_holder(path: Path) -> None:
    first = taken(path)
    first.release()
    second = taken(path)
    first.release()
    assert FileLock.take(path) is None
    second.release()


def test_the_file_says_who_holds_it(path: Path) -> None:
    lock = taken(path)
    assert holder_of(path) == f"process {os.getpid()} on host {socket.gethostname()!r}"
    lock.release()
    assert holder_of(path) == "another process"
    assert holder_of(path.parent / "none") == "another process"


def test_a_removed_file_is_not_the_lock_of_the_new_one(path: Path) -> None:
    """A process that opened the file before it was removed does not hold the new one."""
    first = taken(path)
    path.unlink()
    second = taken(path)
    assert FileLock.take(path) is None
    first.release()
    assert FileLock.take(path) is None
    second.remove()
    assert not path.exists()


def test_who_waits_for_a_file_that_is_removed_takes_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = taken(path)
    open_file = os.open

    def open_and_be_too_late(*arguments: object, **options: object) -> int:
        monkeypatch.undo()
        descriptor = open_file(*arguments, **options)  # type: ignore[arg-type]
        lock.remove()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_be_too_late)
    other = taken(path)
    assert FileLock.take(path) is None
    other.release()


@pytest.mark.slow
def test_a_killed_holder_holds_nothing(path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from penstock._engine.state.files.file_lock import FileLock\n"
        "lock = FileLock.take(pathlib.Path(sys.argv[1]))\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert FileLock.take(path) is None
        assert holder_of(path).startswith(f"process {other.pid} on host")
        other.kill()
        other.wait()
    taken(path).release()


def test_an_orphan_does_not_keep_the_lock_of_its_dead_parent(tmp_path: Path) -> None:
    """A user's function may start a process pool; its processes outlive a worker that is killed."""
    path = tmp_path / "lock"
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        lock = FileLock.take(path)
        orphan = os.fork()
        if orphan == 0:
            signal.pause()
        os.write(writer, str(orphan).encode())
        os.kill(os.getpid(), signal.SIGKILL if lock else signal.SIGTERM)
    orphan = int(os.read(reader, 20))
    os.waitpid(parent, 0)
    try:
        # The orphan closes its copy when it runs for the first time, which may be a moment later.
        until = time.monotonic() + PATIENCE_SECONDS
        while (held := FileLock.take(path)) is None and time.monotonic() < until:
            time.sleep(0.01)
        assert held is not None
        held.release()
    finally:
        os.kill(orphan, signal.SIGKILL)
        os.close(reader)
        os.close(writer)


def test_a_disk_that_cannot_be_written_to_does_not_keep_the_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = taken(path)

    def refuse(_descriptor: int, _length: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as disk:
        disk.setattr(os, "ftruncate", refuse)
        lock.release()
    taken(path).release()
