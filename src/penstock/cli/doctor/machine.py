"""Checks of this machine: Python, packages, Java, Spark, the state directory."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib import metadata
from pathlib import Path
from typing import assert_never

from penstock._engine.fast import choice
from penstock._engine.kafka.client import bulk
from penstock._engine.kafka.local_broker import java
from penstock.cli.doctor.findings import Finding, checked
from penstock.settings import StreamsConfig

_PYTHON_NEEDED = (3, 11)
_PACKAGES = ("penstock", "pyspark", "confluent-kafka", "rocksdict", "pyarrow", "msgspec")
_LITTLE_BYTES = 1 << 30


def check_python(version: tuple[int, ...], executable: str) -> Finding:
    """Return whether this Python is new enough."""
    found = ".".join(map(str, version))
    if version < _PYTHON_NEEDED:
        needed = ".".join(map(str, _PYTHON_NEEDED))
        return Finding(
            "Python", "failed", f"{executable} is {found}", f"install Python {needed} or later"
        )
    return Finding("Python", "ok", f"{found} ({executable})")


def check_packages() -> Finding:
    """Return which packages are there, and in which versions."""
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
    """Return whether the compiled module is used, is missing, or is switched off."""
    name = "parts in C"
    match state := choice.state():
        case "switched off":
            fix = f"unset {choice.SWITCH}"
            return Finding(name, "warning", f"switched off by {choice.SWITCH}: it is slower", fix)
        case "not compiled":
            fix = "install the wheel for this platform, or the sources where there is a C compiler"
            return Finding(name, "warning", "not compiled, all is in Python: it is slower", fix)
        case "used":
            refusal = bulk.why_not_in_c()
            if refusal is None:
                return Finding(name, "ok", "used")
            fix = "install a confluent-kafka whose librdkafka has plugins, as its wheels do"
            return Finding(name, "warning", f"used, but not for the Kafka client: {refusal}", fix)
        case _:
            assert_never(state)


def check_java() -> Finding:
    """Return whether there is a Java of the version that is needed."""

    def check() -> Finding:
        found = java.find()
        return Finding("Java", "ok", f"{found.version} ({found.path})")

    return checked("Java", check)


def check_state_directory(config: StreamsConfig) -> Finding:
    """Return whether local state can be kept, and how much."""
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
    """Return whether Spark starts and can run Python.

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
