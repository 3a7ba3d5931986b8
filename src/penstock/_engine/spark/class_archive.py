"""A class data sharing archive of Spark's classes: its JVM starts in a third of the time.

The first JVM writes the archive when it ends, after the program that started it has ended. The next
start therefore moves it into the cache.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from penstock._clock import SystemClock
from penstock._engine.kafka.local_broker import class_archive, java
from penstock._engine.kafka.local_broker.jars import cache_root
from penstock._engine.spark.java_options import quoted, users_options
from penstock.errors import StreamsError

WRITES_ARCHIVE = "-XX:ArchiveClassesAtExit="
"""The option of a JVM that has no archive yet."""
QUICK_START = "-XX:TieredStopAtLevel=1"
"""For a JVM that mostly waits: the second compiler takes more time than it saves there. The usual
collector keeps several times the 60 MB that live, more with each time that the machine is busy:
see `java.collector_options`."""

# A JVM writes its archive in about a second.
_WRITTEN_MS = 10_000

# Each has 150 MB, and each virtual environment has its own jars.
_KEPT = 3


def archive_option() -> str:
    """Return the option with which a JVM uses the archive or, if there is none, writes it; as a
    text that Spark takes apart. It is empty if the user's options do not go with an archive.
    """
    if not java.may_archive(*users_options()):
        return ""
    try:
        archive = _archive()
        with suppress(FileNotFoundError):  # another start does the same at once
            _keep_written(archive)
    except (StreamsError, OSError):
        # Spark's own error says best what is missing.
        return ""
    if archive.exists():
        return quoted(f"-XX:SharedArchiveFile={archive}")
    made = archive.with_suffix(f".{os.getpid()}")
    return f"{quoted(f'{WRITES_ARCHIVE}{made}')} -Xlog:disable"


def drop_archive() -> None:
    """Delete the archive: a JVM did not start, and the archive may be the reason."""
    with suppress(StreamsError, OSError):
        _archive().unlink(missing_ok=True)


def _archive() -> Path:
    jars = sorted((Path(_find_spark_home()) / "jars").glob("*.jar"))
    return class_archive.archive_in(cache_root() / "spark", java.find(), jars)


def _keep_written(archive: Path) -> None:
    """Move what JVMs have written into place, also those of other environments: what counts below
    are then whole archives, one of each.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    if archive.exists() and not class_archive.is_whole(archive):
        archive.unlink(missing_ok=True)
    for made in archive.parent.glob("classes-*"):
        kept = made.with_suffix(".jsa")
        if made == kept or _may_be_written(made):
            continue
        if kept.exists():
            made.unlink(missing_ok=True)
        else:
            class_archive.keep(made, kept)
    _delete_oldest(archive)


def _may_be_written(made: Path) -> bool:
    age_ms = SystemClock().now_ms() - made.stat().st_mtime_ns // 1_000_000
    # A time that is long to come is of a clock that was set back.
    return abs(age_ms) < _WRITTEN_MS


def _delete_oldest(used: Path) -> None:
    others = [path for path in used.parent.glob("classes-*.jsa") if path != used]
    others.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in others[_KEPT - 1 :]:
        path.unlink(missing_ok=True)
