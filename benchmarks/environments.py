"""Environments of the rivals, one each, in the cache outside the source tree; and the Java classes.

An environment is made in its final place, for environments know their own path; a marker that is
written last says that it is complete.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from penstock._engine.kafka.local_broker import jars

JAVA_STREAMS = "org.apache.kafka:kafka-streams:4.3.1"
JAVA_SOURCES = Path(__file__).parent / "java"
_INSTALL_SECONDS = 1800


class UnavailableError(RuntimeError):
    """A contender cannot take part; the text says why."""


def python_with(packages: Sequence[str]) -> Path:
    """Return the Python of an environment that has `packages`, made at the first call.

    Raises:
        UnavailableError: they cannot be installed.
    """
    name = hashlib.sha256("\n".join((sys.version, *packages)).encode()).hexdigest()[:16]
    folder = jars.cache_root() / "benchmarks" / name
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, *packages])
        complete.touch()
    return python


def java_classpath(folder: Path) -> str:
    """Compile the Java contender into `folder`; give its class path.

    Raises:
        UnavailableError: there is no compiler, or no library.
    """
    if shutil.which("javac") is None:
        msg = "there is no 'javac' on the PATH; install a JDK, version 17 or later"
        raise UnavailableError(msg)
    libraries = os.pathsep.join(map(str, _jars([JAVA_STREAMS])))
    sources = sorted(map(str, JAVA_SOURCES.glob("*.java")))
    _run(["javac", "-nowarn", "-d", str(folder), "-cp", libraries, *sources])
    return os.pathsep.join([str(folder), libraries])


def jar_list(*coordinates: str) -> str:
    """Return the jars of Maven coordinates and of all they depend on, with commas between.

    Raises:
        UnavailableError: they cannot be had.
    """
    return ",".join(map(str, _jars(coordinates)))


def _jars(coordinates: Sequence[str]) -> Sequence[Path]:
    try:
        return jars.resolve(coordinates)
    except jars.JarsError as error:
        raise UnavailableError(str(error)) from error


def _run(command: Sequence[str]) -> None:
    with tempfile.TemporaryFile() as output:
        try:
            code = subprocess.run(
                command, stdout=output, stderr=output, timeout=_INSTALL_SECONDS, check=False
            ).returncode
        except subprocess.TimeoutExpired as error:
            msg = f"{Path(command[0]).name} took longer than {_INSTALL_SECONDS} s"
            raise UnavailableError(msg) from error
        if code != 0:
            output.seek(0)
            said = output.read().decode(errors="replace").strip().splitlines()[-1:]
            msg = f"{Path(command[0]).name} {' '.join(command[1:3])} failed: {' '.join(said)[:300]}"
            raise UnavailableError(msg)
