"""Files and directories that other users of the machine cannot read: they hold users' data.

Java's StateDirectory gives its directories the same permissions, rwxr-x---.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

_ATTEMPTS = 10


def make_private(directory: Path) -> None:
    """Make a directory and its missing parents; existing ones keep their mode."""
    # Another process may remove a parent meanwhile: then it is made again. Not for ever: in /proc
    # no directory can be made, and its parent is there all the same.
    for attempt in count(1):
        try:
            directory.mkdir(mode=0o750)
        except FileNotFoundError:
            if attempt == _ATTEMPTS:
                raise
            # mkdir(parents=True) would set the mode of the last one only.
            make_private(directory.parent)
        except FileExistsError:
            if not directory.is_dir():
                raise
            return
        else:
            return


def open_private(path: Path, flags: int = 0) -> int:
    """Open a file for writing that its owner alone can read, also if it was there before."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flags, 0o600)
    with suppress(PermissionError):  # another user's file keeps its mode
        os.fchmod(descriptor, 0o600)
    return descriptor
