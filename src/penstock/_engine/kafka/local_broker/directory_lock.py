"""The lock of a broker's data directory, which also says where the broker listens.

It is held as long as the broker lives: by the process that starts it and then by its watchdog.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from penstock._engine.state.files.private_files import make_private
from penstock.errors import StreamsError

_NAME = "broker.lock"
_STANDARD_ERROR = 2


class BrokerError(StreamsError):
    """The embedded broker cannot be started or has ended; the text says why and what to do.

    ```python
    try:
        broker.start()
    except BrokerError as error:
        print(error)  # no Java, say
    ```
    """


class DirectoryInUseError(BrokerError):
    """Another broker has the data directory. `bootstrap_servers` is where it listens, if known."""

    def __init__(self, message: str, bootstrap_servers: str | None) -> None:
        super().__init__(message)
        self.bootstrap_servers = bootstrap_servers


def take(data_dir: Path) -> int:
    """Take the lock of a data directory and return its open file: closing it releases the lock."""
    path = data_dir / _NAME
    try:
        make_private(data_dir)
        lock = _above_standard_files(os.open(path, os.O_RDWR | os.O_CREAT, 0o640))
    except OSError as error:
        msg = f"the data directory {data_dir} cannot be used ({error.strerror}); use another one"
        raise BrokerError(msg) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        servers, _, owner = path.read_text().strip().partition(" ")
        holder = f"the broker at {servers}, started by process {owner}" if owner else None
        some = "another broker, which is just starting or ending"
        message = in_use(data_dir, holder or some)
        raise DirectoryInUseError(message, servers or None) from error
    os.truncate(lock, 0)
    return lock


def _above_standard_files(file: int) -> int:
    """Return an open file under a number that a child process has no other use for: in a process
    without standard input, say, the next file that is opened gets the number of that.
    """
    if file > _STANDARD_ERROR:
        return file
    try:
        return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _STANDARD_ERROR + 1)
    finally:
        os.close(file)


def announce(data_dir: Path, bootstrap_servers: str) -> str:
    """Say in the lock where the broker listens; return what it says."""
    announced = f"{bootstrap_servers} {os.getpid()}\n"
    (data_dir / _NAME).write_text(announced)
    return announced


def take_back(data_dir: Path, announced: str) -> None:
    """Say nothing more in the lock, unless it says something else: if the broker has died, another
    one may have the directory by now.
    """
    lock = data_dir / _NAME
    with suppress(OSError):
        if lock.read_text() == announced:
            os.truncate(lock, 0)


def in_use(data_dir: Path, holder: str) -> str:
    return f"the data directory {data_dir} is in use by {holder}; stop it or use another directory"
