"""Archives of a JVM's classes: with one, a program starts in a fraction of the time."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from penstock._engine.kafka.local_broker.java import Java

_MAGIC_BYTES = 4
"""The beginning of the header; of a dynamic archive 0xf00baba8 in the order of the machine."""


def archive_in(folder: Path, java: Java, jars: Iterable[Path]) -> Path:
    """Return the archive for this Java and these jars; Java would refuse any other one."""
    parts = [java.build]
    for path in jars:
        facts = path.stat()
        parts.append(f"{path} {facts.st_size} {facts.st_mtime_ns}")
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return folder / f"classes-{digest}.jsa"


def keep(made: Path, archive: Path) -> None:
    """Move what a JVM has written into the cache, where it is complete or absent at any moment.
    What was cut off while it was written is deleted.
    """
    # A cache that cannot be written costs some seconds at each start, and must not cost more.
    with suppress(OSError):
        if not is_whole(made):
            made.unlink()
            return
        archive.parent.mkdir(parents=True, exist_ok=True)
        _delete_abandoned(archive.parent)
        halfway = archive.with_name(f".{archive.name}-{os.getpid()}")
        shutil.move(made, halfway)
        halfway.replace(archive)


def is_whole(archive: Path) -> bool:
    """Return whether a JVM has written an archive to its end: it leaves the header empty until all
    that follows is written. A JVM starts with half an archive, too, but as slowly as with none.
    """
    with archive.open("rb") as file:
        return any(file.read(_MAGIC_BYTES))


def _delete_abandoned(folder: Path) -> None:
    """Delete what processes have left that were killed while they moved an archive."""
    for halfway in folder.glob(".classes-*.jsa-*"):
        try:
            os.kill(int(halfway.name.rpartition("-")[2]), 0)
        except ProcessLookupError:
            halfway.unlink(missing_ok=True)
        except (PermissionError, ValueError):
            continue  # it is alive, or the file is not ours
