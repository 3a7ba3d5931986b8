"""Find the Java of this machine, as Spark does: the one of JAVA_HOME, or the one on the PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import StreamsError

NEEDED = 17

_INSTALL = (
    f"install a JDK, version {NEEDED} or later (on Debian and Ubuntu: "
    f"apt-get install openjdk-{NEEDED}-jre-headless) or set JAVA_HOME to one"
)

_COLLECTOR = re.compile(r"-XX:\+Use\w+GC\b")
_OPTIONS_OF_ALL = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")
"""Variables with options for every JVM, the last for those that Spark starts."""

_NO_ARCHIVE = re.compile(
    r"-javaagent:|-agent(?:lib|path):|-Xrun|-Xshare:"
    r"|--(?:limit-modules|patch-module|upgrade-module-path)\b"
    r"|-XX:\S*(?:SharedArchive|ArchiveClasses|DynamicDump|DumpSharedSpaces|UseSharedSpaces|AOT)"
    r"|-XX:\S*(?:CompressedClassPointers|ObjectAlignment|FlightRecord)"
    # Files of further options.
    r"|-XX:(?:VMOptionsFile|Flags)=|(?:^|\s)@"
)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that will do. `build` is all it says about itself: equal for equal programs only."""

    path: str
    version: int
    build: str


def find(environment: Mapping[str, str] = os.environ) -> Java:
    """Return the Java to run programs with.

    Raises:
        StreamsError: there is none, it does not run, or it is too old.
    """
    path = _path(environment)
    build = _build(path)
    # It says version "17.0.15" since Java 9 and said version "1.8.0_402" before.
    match = re.search(r'version "(?:1\.)?(\d+)', build)
    if match is None:
        msg = f"{path} does not run; {_INSTALL}"
        raise StreamsError(msg)
    version = int(match.group(1))
    if version < NEEDED:
        msg = f"Java {NEEDED} or later is needed and {path} is {version}; {_INSTALL}"
        raise StreamsError(msg)
    return Java(path, version, build)


def collector_options(*given: str, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the option for the garbage collector that suits a small JVM best; nothing if options
    that it is `given`, or the environment, name another: a JVM with two does not start.
    """
    options = [*given, *(environment.get(name, "") for name in _OPTIONS_OF_ALL)]
    return [] if any(map(_COLLECTOR.search, options)) else ["-XX:+UseSerialGC"]


def may_archive(*given: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a JVM with options that it is `given`, and those of the environment, can have
    an archive of classes. With an agent, for example, one that is to write an archive does not
    start, and with a recording it writes no recording.
    """
    options = [*given, *(environment.get(name, "") for name in _OPTIONS_OF_ALL)]
    return not any(map(_NO_ARCHIVE.search, options))


def _path(environment: Mapping[str, str]) -> str:
    if home := environment.get("JAVA_HOME"):
        program = Path(home) / "bin" / "java"
        if program.is_file():
            return str(program)
        msg = f"there is no Java in JAVA_HOME: {program} is missing; correct it or unset it"
        raise StreamsError(msg)
    found = shutil.which("java", path=environment.get("PATH", os.defpath))
    if found is None:
        msg = f"Java {NEEDED} or later is needed and there is no 'java' on the PATH; {_INSTALL}"
        raise StreamsError(msg)
    return found


def _build(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace")
