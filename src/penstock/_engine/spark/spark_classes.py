"""An archive of Spark's classes, which its JVM maps at the start: then a session starts in a third
of the time.

The first JVM writes it when it ends, which is later than the program that began it; so the next
start takes it into the cache.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from penstock._clock import SystemClock
from penstock._engine.kafka.local_broker import class_archive, java
from penstock._engine.kafka.local_broker.jars import cache_root
from penstock.errors import StreamsError

QUICK_START = "-XX:TieredStopAtLevel=1"
"""Without its second compiler, for a JVM that hosts and waits: it would take more time than it ever
saves.
"""

# A JVM writes its archive in about a second.
_WRITTEN_MS = 10_000

# Each has 150 MB, and each environment of a developer's its own jars.
_KEPT = 3


def archive_option() -> str:
    """Give the option with which a JVM uses the archive or, if there is none, writes it."""
    try:
        archive = _archive()
        _take_in(archive)
    except (StreamsError, OSError):
        # Spark itself says best what it lacks.
        return ""
    if archive.exists():
        return f"-XX:SharedArchiveFile={archive}"
    return f"-XX:ArchiveClassesAtExit={archive.with_suffix(f'.{os.getpid()}')} -Xlog:disable"


def drop_archive() -> None:
    """Forget the archive: a JVM did not start, and it may be the reason."""
    with suppress(StreamsError, OSError):
        _archive().unlink(missing_ok=True)


def _archive() -> Path:
    jars = sorted((Path(_find_spark_home()) / "jars").glob("*.jar"))
    return class_archive.archive_in(cache_root() / "spark", java.find(), jars)


def _take_in(archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    written = SystemClock().now_ms() - _WRITTEN_MS
    for made in archive.parent.glob(f"{archive.stem}.*"):
        if made == archive or made.stat().st_mtime_ns // 1_000_000 > written:
            continue
        if archive.exists():
            made.unlink(missing_ok=True)
        else:
            class_archive.keep(made, archive)
            _forget_oldest(archive.parent)


def _forget_oldest(folder: Path) -> None:
    # Those too that nobody has taken in: their environment may be gone.
    archives = sorted(folder.glob("classes-*"), key=lambda path: path.stat().st_mtime_ns)
    for path in archives[:-_KEPT]:
        path.unlink(missing_ok=True)
