"""Checks of this machine: Python, packages, Java, Spark, the state directory."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib import metadata
from pathlib import Path

from penstock._engine.kafka.client import bulk
from penstock._engine.kafka.local_broker import java
from penstock._engine.runtime.input import partition_run as stretch
from penstock._engine.runtime.output import murmur2, sink
from penstock._engine.state import row_sender
from penstock._engine.state.cache import entries
from penstock._engine.state.segments import recent_rows
from penstock.cli.doctor.findings import Finding, checked
from penstock.settings import StreamsConfig

_PYTHON_NEEDED = (3, 11)
_PACKAGES = ("penstock", "pyspark", "confluent-kafka", "rocksdict", "pyarrow", "msgspec")
_LITTLE_BYTES = 1 << 30


def check_python(version: tuple[int, ...], executable: str) -> Finding:
    """Tell whether this Python is new enough."""
    found = ".".join(map(str, version))
    if version < _PYTHON_NEEDED:
        needed = ".".join(map(str, _PYTHON_NEEDED))
        return Finding(
            "Python", "failed", f"{executable} is {found}", f"install Python {needed} or later"
        )
    return Finding("Python", "ok", f"{found} ({executable})")


def check_packages() -> Finding:
    """Tell which packages are there, and in which versions."""
    versions, missing = [], []
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding(
            "packages",
            "failed",
            f"missing: {', '.join(missing)}",
            f"pip install {' '.join(missing)}",
        )
    return Finding("packages", "ok", ", ".join(versions))


def check_parts_in_c() -> Finding:
    """Tell whether the parts are there that are in C."""
    plain = [
        part
        for part, is_compiled in {
            "the Kafka client": bulk.is_compiled(),
            "the task": stretch.is_compiled(),
            "what leaves a task": sink.is_compiled() and row_sender.is_compiled(),
            "the partitions of keys": murmur2.is_compiled(),
            "the record cache": entries.is_compiled(),
            "rows of windows": recent_rows.is_compiled(),
        }.items()
        if not is_compiled
    ]
    if not plain:
        return Finding("parts in C", "ok", "all are there")
    return Finding(
        "parts in C",
        "warning",
        f"in Python, which is slower: {', '.join(plain)}",
        "install a C compiler and Python's headers, then install penstock again",
    )


def check_java() -> Finding:
    """Tell whether there is a Java that will do."""

    def check() -> Finding:
        found = java.find()
        return Finding("Java", "ok", f"{found.version} ({found.path})")

    return checked("Java", check)


def check_state_directory(config: StreamsConfig) -> Finding:
    """Tell whether local state can be kept, and how much."""
    name, path = "state directory", config.state_dir
    fix = "set 'state.dir' to a directory that can be written to"
    # The parents of a directory that will be made must be writable.
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            free = shutil.disk_usage(nearest).free
    except OSError as error:
        return Finding(name, "failed", f"{path} cannot be used: {error.strerror}", fix)
    told = f"{path}, {free / 1e9:,.0f} GB free"
    if free < _LITTLE_BYTES:
        return Finding(name, "warning", told, "make room, or set 'state.dir' to another disk")
    if _forgets(path):
        fix = "set 'state.dir' to a lasting place, or state is restored from Kafka at each start"
        return Finding(name, "warning", f"{told}, which may be emptied at a restart", fix)
    return Finding(name, "ok", told)


def check_spark(config: StreamsConfig, *, quick: bool) -> Finding:
    """Tell whether Spark starts and can run Python.

    Raises:
        StreamsError: it does not.
    """
    if quick:
        return Finding("Spark", "skipped", "not started (--quick)")
    # Only this check needs Spark.
    from penstock._engine.spark.session import try_spark  # noqa: PLC0415

    told = try_spark(config)
    return Finding("Spark", "ok", f"{told}, a Python worker answered")


def _forgets(path: Path) -> bool:
    return path.absolute().is_relative_to(os.environ.get("TMPDIR", "/tmp"))
