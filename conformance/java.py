"""Runs cases with the real Kafka Streams: fetches its jars, compiles `oracle/`, starts it.

The version below is the one whose behaviour Penstock promises. Raising it means recording all
cases again and reading the difference.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from penstock._engine.kafka.local_broker import jars

KAFKA_VERSION = "4.3.1"

COORDINATES = (
    f"org.apache.kafka:kafka-streams-test-utils:{KAFKA_VERSION}",
    # The logging that says nothing; without a logger slf4j itself complains on every start.
    "org.slf4j:slf4j-nop:1.7.36",
)

CASES = Path(__file__).parent / "cases"
QUERY_CASES = Path(__file__).parent / "queries" / "cases"
"""Cases whose programs query their store, which only Java's processors can do."""

_SOURCES = Path(__file__).parent / "oracle"

# A run lasts seconds: the best compiler and a parallel collector would cost more than they give.
_QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


class OracleError(RuntimeError):
    """Java cannot be run; the text says why and what to do."""


def record(names: Sequence[str], output: Path, cases: Path = CASES) -> int:
    """Run the cases called `names` (all if empty) and write their expectations below `output`.

    Returns the exit code: not 0 if a program did not compile or a case could not be read.

    Raises:
        OracleError: there is no JDK.
        JarsError: Kafka's jars are not in the cache and cannot be fetched.
    """
    runner = command(_SOURCES, "Runner", str(cases), str(output), *names)
    return subprocess.run(runner, check=False).returncode


def command(sources: Path, main_class: str, *arguments: str) -> list[str]:
    """Compile the Java files of a folder, and give the command that runs a class of them.

    Raises:
        OracleError: there is no JDK, or a file does not compile.
        JarsError: Kafka's jars are not in the cache and cannot be fetched.
    """
    java, javac = _tool("java"), _tool("javac")
    libraries = [str(path) for path in jars.resolve(COORDINATES)]
    classes = _compile(javac, sources, libraries)
    classpath = os.pathsep.join([str(classes), *libraries])
    return [java, *_QUICK_START, "-classpath", classpath, main_class, *arguments]


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        message = (
            f"there is no '{name}' on the PATH; install a JDK (not a JRE), version 17 or later"
        )
        raise OracleError(message)
    return path


def _compile(javac: str, folder_of_sources: Path, libraries: Sequence[str]) -> Path:
    """Compile a folder, or take the classes that an earlier run left in the cache."""
    sources = sorted(folder_of_sources.glob("*.java"))
    digest = hashlib.sha256("\n".join(libraries).encode())
    for source in sources:
        digest.update(source.read_bytes())
    folder = jars.cache_root() / "oracle" / digest.hexdigest()[:16]
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        options = ["-d", str(work), "-classpath", os.pathsep.join(libraries)]
        done = subprocess.run(
            [javac, *options, *map(str, sources)], check=False, capture_output=True, text=True
        )
        if done.returncode != 0:
            message = f"Java in {folder_of_sources} does not compile:\n{done.stdout}{done.stderr}"
            raise OracleError(message)
        jars.publish(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder
