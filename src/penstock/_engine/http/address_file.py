"""Where an application serves HTTP, in a file that its owner alone can read.

`<state.dir>/<application.id>/http/<process id>.json` has the address and the token, for `penstock
query` and for people. It goes when the application ends; one that a dead process left is passed by,
and removed by the next process that serves the application on the same machine.
"""

from __future__ import annotations

import json
import os
import platform
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgspec

from penstock._engine.state.files.private_files import make_private, open_private

_FOLDER = "http"
_TOKEN = re.compile("[!-~]+")


@dataclass(frozen=True, slots=True)
class ServedAt:
    """An address, and what a client needs to ask there."""

    url: str
    token: str | None = field(repr=False, default=None)
    certificate: str | None = None
    """The file of the server's certificate; None without TLS."""
    process: int = 0
    machine: str | None = None
    """Where `process` is a number of a process; None in the files of earlier versions."""


def write_address(application: Path, served: ServedAt) -> Path:
    """Write the file of this process into the directory of an application; return its path."""
    folder = application / _FOLDER
    make_private(folder)
    _remove_dead(folder)
    path = folder / f"{os.getpid()}.json"
    # What another run left under this number may be a link to elsewhere.
    path.unlink(missing_ok=True)
    with os.fdopen(open_private(path, os.O_EXCL | os.O_NOFOLLOW), "w", encoding="utf-8") as file:
        json.dump({**asdict(served), "process": os.getpid(), "machine": _machine()}, file)
    return path


def remove_address(path: Path) -> None:
    """Remove the file, and its folder if no other process has one there."""
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()


def read_addresses(application: Path) -> list[ServedAt]:
    """Return where processes that are alive serve an application, the newest first."""
    try:
        files = [(path.stat().st_mtime_ns, path) for path in (application / _FOLDER).glob("*.json")]
    except OSError:
        return []
    found = []
    for _, path in sorted(files, reverse=True):
        served = _read(path)
        if served is not None and _is_alive(served.process):
            found.append(served)
    return found


def is_token(text: str) -> bool:
    """Return whether a text can be a token: a header takes neither blanks nor line ends."""
    return _TOKEN.fullmatch(text) is not None


def _remove_dead(folder: Path) -> None:
    """Remove the files of processes of this machine that are dead: they were killed. Other machines
    may share the directory, and theirs stay.
    """
    here = _machine()
    for path in folder.glob("*.json"):
        served = _read(path)
        if served is not None and served.machine == here and not _is_alive(served.process):
            with suppress(OSError):
                path.unlink()


def _machine() -> str:
    """Return a name of what gives processes their numbers: this machine, since it has started, or a
    container on it. Two machines may have the same host name.
    """
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{start} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def _read(path: Path) -> ServedAt | None:
    """Return what a file says; None if it is damaged, or gone."""
    try:
        served = msgspec.json.decode(path.read_bytes(), type=ServedAt)
    except (OSError, ValueError, RecursionError):
        return None
    return served if served.token is None or is_token(served.token) else None


def _is_alive(process: int) -> bool:
    if process <= 0:
        return False  # the numbers of process groups
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
