"""The files of a program: its own modules, and which of them have changed.

Modules of the interpreter's installation, of its packages and of Penstock are not the program's.
"""

from __future__ import annotations

import os
import site
import sysconfig
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import TypeAlias

Version: TypeAlias = tuple[int, int, int]
"""Of a file: its time of change, its size, its inode."""

_PACKAGE = Path(__file__).resolve().parents[2]


def own_modules(modules: Iterable[ModuleType]) -> set[str]:
    """Return the files of those modules that are the program's own."""
    return own_files(getattr(module, "__file__", None) for module in modules)


def own_folders(modules: Iterable[ModuleType]) -> set[str]:
    """Return the folders of those packages that are the program's own: a package without an
    `__init__.py` has no file.
    """
    folders = (each for module in modules for each in _folders_of(module))
    return _own(os.path.join(folder, "") for folder in folders)


def files_of_error(error: BaseException | None) -> set[str]:
    """Return the program's own files that an error, and those that it is due to, come from: a
    package whose `__init__.py` fails is none of the program's modules any more.
    """
    found: set[object] = set()
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        found |= {frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)}
        if isinstance(error, SyntaxError):
            found.add(error.filename)
        error = error.__cause__ or error.__context__
    return own_files(found)


def own_files(files: Iterable[object]) -> set[str]:
    """Return those of the files that are Python files of the program's own."""
    return _own(file for file in files if isinstance(file, str) and file.endswith(".py"))


def _own(paths: Iterable[str]) -> set[str]:
    foreign = _foreign_folders()
    real = (os.path.realpath(path) for path in paths)
    return {path for path in real if not os.path.join(path, "").startswith(foreign)}


def _folders_of(module: ModuleType) -> list[str]:
    try:
        return [each for each in getattr(module, "__path__", ()) if isinstance(each, str)]
    except Exception:  # what is among the modules may be an object of any kind
        return []


def _foreign_folders() -> tuple[str, ...]:
    # Not all of sys.prefix: a program may be in a folder below it.
    paths = sysconfig.get_paths()
    installed = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    every = {*installed, *site.getsitepackages(), str(_PACKAGE)}
    return tuple(os.path.join(os.path.realpath(path), "") for path in every)


class ProgramFiles:
    """Files as they were when they were added."""

    def __init__(self) -> None:
        self._versions: dict[str, Version | None] = {}
        self._folders: set[str] = set()
        self._beside: dict[str, Version | None] | None = None

    def add(self, versions: Mapping[str, Version | None]) -> None:
        """Watch files that were so when the program read them; one that is watched already stays
        as it was.
        """
        for path, version in versions.items():
            self._versions.setdefault(path, version)

    def add_folders(self, folders: Iterable[str]) -> None:
        """Take these folders for places where files of the program may be; see `add_beside`."""
        self._folders.update(folders)

    def add_beside(self) -> None:
        """Until `renew`, watch all Python files beside those that are watched and in the folders
        of the program's packages, new ones, too.

        A module that could not be imported is in none of the program's modules.
        """
        self._beside = versions_of(self._files_beside())

    def renew(self) -> None:
        """Take all files as they are now, and forget their bytecode: it is known by the second and
        the size of its source, so that of two changes in one second the first would be run.
        """
        for path in {*self._versions, *(self._beside or ())}:
            _forget_bytecode(path)
        self._versions = versions_of(self._versions)
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
        folders = {os.path.dirname(path) for path in self._versions} | self._folders
        return {path for folder in folders for path in python_files(folder)}


def versions_of(paths: Iterable[str]) -> dict[str, Version | None]:
    """Return the versions of files."""
    return {path: version_of(path) for path in paths}


def _forget_bytecode(path: str) -> None:
    # An implementation of Python may have no place for it.
    with suppress(OSError, NotImplementedError):
        os.unlink(cache_from_source(path))


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
