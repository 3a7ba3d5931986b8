"""Archives of a JVM's classes: with one, a program starts in a fraction of the time."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from penstock._engine.kafka.local_broker.java import Java


def archive_in(folder: Path, java: Java, jars: Iterable[Path]) -> Path:
    """Return the archive for this Java and these jars; Java would refuse any other one."""
    parts = [java.build]
    for path in jars:
        facts = path.stat()
        parts.append(f"{path} {facts.st_size} {facts.st_mtime_ns}")
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return folder / f"classes-{digest}.jsa"


def keep(made: Path, archive: Path) -> None:
    """Move what a JVM has written into the cache, where it is complete or absent at any moment."""
    # A cache that cannot be written costs some seconds at each start, and must not cost more.
    with suppress(OSError):
        archive.parent.mkdir(parents=True, exist_ok=True)
        halfway = archive.with_name(f".{archive.name}-{os.getpid()}")
        shutil.move(made, halfway)
        halfway.replace(archive)
