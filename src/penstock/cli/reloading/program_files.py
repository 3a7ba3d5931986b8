"""The files of a program: its own modules, and which of them have changed.

Modules of the interpreter's installation, of its packages and of Penstock are not the program's.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

Version: TypeAlias = tuple[int, int, int]
"""Of a file: its time of change, its size, its inode."""

_PACKAGE = Path(__file__).resolve().parents[2]


def own_modules(modules: Iterable[ModuleType]) -> set[str]:
    """Return the files of those modules that are the program's own."""
    foreign = _foreign_folders()
    found = set()
    for module in modules:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            path = os.path.realpath(file)
            if not any(path.startswith(folder) for folder in foreign):
                found.add(path)
    return found


def _foreign_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    installed = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    every = {*installed, sys.prefix, str(_PACKAGE)}
    return tuple(os.path.join(os.path.realpath(path), "") for path in every)


class ProgramFiles:
    """Files as they were when they were added."""

    def __init__(self) -> None:
        self._versions: dict[str, Version | None] = {}
        self._beside: dict[str, Version | None] | None = None

    def add(self, paths: Iterable[str]) -> None:
        """Watch these files from now on; one that is watched already stays as it was."""
        for path in paths:
            self._versions.setdefault(path, version_of(path))

    def add_beside(self) -> None:
        """Until `renew`, watch all Python files beside those that are watched, new ones, too.

        A module that could not be imported is in none of the program's modules.
        """
        self._beside = {path: version_of(path) for path in self._files_beside()}

    def renew(self) -> None:
        """Take all files as they are now."""
        self._versions = {path: version_of(path) for path in self._versions}
        self._beside = None

    def changed(self) -> str | None:
        """Return a file that has changed, None if none has.

        One that is missing has not: editors move a file away before they write it anew.
        """
        watched = dict(self._versions)
        if self._beside is not None:
            watched = {**dict.fromkeys(self._files_beside()), **self._beside, **watched}
        for path, before in watched.items():
            now = version_of(path)
            if now is not None and now != before:
                return path
        return None

    def _files_beside(self) -> set[str]:
        folders = {os.path.dirname(path) for path in self._versions}
        return {path for folder in folders for path in python_files(folder)}


def version_of(path: str) -> Version | None:
    """Return the version of a file, None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def python_files(folder: str) -> set[str]:
    """Return the Python files in a folder, not in those below it."""
    try:
        return {entry.path for entry in os.scandir(folder) if entry.name.endswith(".py")}
    except OSError:
        return set()
