"""Find Java libraries: Maven coordinates in, paths of jar files out, all dependencies included.

Maven does the work if it is installed; otherwise the Ivy that PySpark ships does. Each set of
coordinates has its own folder in a cache outside the source tree. A folder appears there complete
or not at all: it is filled under a temporary name and renamed, so an interrupted download leaves
nothing behind and two processes may ask at once. A set that is in the cache needs neither Maven
nor Java nor a network.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

Progress = Callable[[str], None]

_COORDINATE = re.compile(r"(?P<group>[\w.-]+):(?P<artifact>[\w.-]+):(?P<version>[\w.-]+)")

# Pinned: the version that an old Maven takes by default cannot copy for newer ones.
_COPY_DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

# What Maven and Ivy print when the network fails, as against when there is no such artifact.
_UNREACHABLE = re.compile(
    r"Could not transfer|Unknown ?[Hh]ost|Connection refused|Connect timed out|Connection timed out"
    r"|No route to host|Network is unreachable|SERVER ERROR|Host .* not found|offline mode"
)


class JarsError(RuntimeError):
    """The jars cannot be had; the text says what is missing and how to get it."""


def _print_to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def cache_root(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that Penstock may fill and a user may delete at any time."""
    if own := environment.get("PENSTOCK_CACHE"):
        return Path(own).expanduser()
    if shared := environment.get("XDG_CACHE_HOME"):
        return Path(shared).expanduser() / "penstock"
    return Path.home() / ".cache" / "penstock"


def resolve(
    coordinates: Sequence[str], cache: Path | None = None, progress: Progress = _print_to_stderr
) -> list[Path]:
    """Return the jars of `coordinates` ("group:artifact:version") and of all they depend on.

    Raises:
        JarsError: a coordinate is malformed; there is no Java, no Maven and no Ivy, no network.
    """
    artifacts = sorted(map(_parse, coordinates), key=str)
    root = cache_root() if cache is None else cache
    folder = root / "jars" / _digest(artifacts)
    if not folder.is_dir():
        _fill(folder, artifacts, progress)
    return sorted(folder.glob("*.jar"))


@dataclass(frozen=True, slots=True)
class _Artifact:
    group: str
    artifact: str
    version: str

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


def _parse(coordinate: str) -> _Artifact:
    match = _COORDINATE.fullmatch(coordinate)
    if match is None:
        message = f"a Maven coordinate must be 'group:artifact:version'; got {coordinate!r}"
        raise JarsError(message)
    return _Artifact(**match.groupdict())


def _digest(artifacts: Sequence[_Artifact]) -> str:
    return hashlib.sha256("\n".join(map(str, artifacts)).encode()).hexdigest()[:16]


def _fill(folder: Path, artifacts: Sequence[_Artifact], progress: Progress) -> None:
    resolver = _choose_resolver()
    _make_folder(folder.parent)
    names = ", ".join(map(str, artifacts))
    progress(f"fetching {names} with {resolver.name} (first time only) ...")
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        jars = work / "jars"
        jars.mkdir()
        log = folder.parent / f"{folder.name}.log"
        command = resolver.command(work, jars, artifacts)
        with log.open("wb") as output:
            code = subprocess.run(
                command,
                cwd=work,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
            ).returncode
        if code != 0 or not any(jars.glob("*.jar")):
            _explain(names, resolver.name, log)
        publish(jars, folder)
        log.unlink(missing_ok=True)
        progress(f"fetched {len(list(folder.glob('*.jar')))} jars into {folder}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = (
            f"the cache folder {folder} cannot be made ({error.strerror}); "
            "set PENSTOCK_CACHE to a folder that can be written"
        )
        raise JarsError(message) from error


def publish(work: Path, folder: Path) -> None:
    """Rename a filled folder to its name in the cache, where it is complete or absent."""
    try:
        work.rename(folder)
    except OSError:
        # Another process renamed its copy first: the same question, the same content.
        if not folder.is_dir():
            raise


def _explain(names: str, resolver: str, log: Path) -> NoReturn:
    text = log.read_text(errors="replace")
    if _UNREACHABLE.search(text):
        message = (
            f"{names} cannot be fetched with {resolver}: its repository does not answer; "
            f"check the network or the proxy settings and run it again (details: {log})"
        )
    else:
        message = f"{names} cannot be fetched with {resolver}; its output is in {log}"
    raise JarsError(message)


@dataclass(frozen=True, slots=True)
class _Resolver:
    """A program that fetches jars: its name for people, and its command line."""

    name: str
    command: Callable[[Path, Path, Sequence[_Artifact]], list[str]]


def _choose_resolver() -> _Resolver:
    java = shutil.which("java")
    if java is None:
        message = (
            "fetching jars needs Java and there is no 'java' on the PATH; "
            "install a JDK, version 17 or later"
        )
        raise JarsError(message)
    if maven := shutil.which("mvn"):
        return _Resolver(
            "Maven", lambda work, jars, artifacts: _maven(maven, work, jars, artifacts)
        )
    if ivy := _ivy_jar():
        return _Resolver(
            "Ivy", lambda work, jars, artifacts: _ivy(java, ivy, work, jars, artifacts)
        )
    message = (
        "fetching jars needs Maven or the Ivy inside PySpark and neither is there; "
        "install Maven (the command 'mvn') or 'pip install pyspark'"
    )
    raise JarsError(message)


def _maven(maven: str, work: Path, jars: Path, artifacts: Sequence[_Artifact]) -> list[str]:
    dependencies = "\n".join(
        f"    <dependency><groupId>{a.group}</groupId><artifactId>{a.artifact}</artifactId>"
        f"<version>{a.version}</version></dependency>"
        for a in artifacts
    )
    pom = work / "pom.xml"
    pom.write_text(
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n"
        "  <groupId>penstock</groupId><artifactId>jars</artifactId><version>1</version>\n"
        f"  <dependencies>\n{dependencies}\n  </dependencies>\n</project>\n",
        encoding="utf-8",
    )
    return [
        maven,
        "--batch-mode",
        # Ask again for what it once did not find: it may have been offline then.
        "--update-snapshots",
        f"--file={pom}",
        _COPY_DEPENDENCIES,
        "-DincludeScope=runtime",
        f"-DoutputDirectory={jars}",
    ]


def _ivy(java: str, ivy: Path, work: Path, jars: Path, artifacts: Sequence[_Artifact]) -> list[str]:
    dependencies = "\n".join(
        f'    <dependency org="{a.group}" name="{a.artifact}" rev="{a.version}"'
        ' conf="default->default"/>'
        for a in artifacts
    )
    description = work / "ivy.xml"
    description.write_text(
        '<ivy-module version="2.0">\n  <info organisation="penstock" module="jars"/>\n'
        f"  <dependencies>\n{dependencies}\n  </dependencies>\n</ivy-module>\n",
        encoding="utf-8",
    )
    return [
        java,
        "-jar",
        str(ivy),
        "-ivy",
        str(description),
        "-confs",
        "default",
        # "bundle" is how OSGi jars (snappy-java is one) call themselves.
        "-types",
        "jar",
        "bundle",
        "-cache",
        str(work / "ivy-cache"),
        "-retrieve",
        f"{jars}/[artifact]-[revision](-[classifier]).[ext]",
    ]


def _ivy_jar() -> Path | None:
    # find_spec does not import PySpark: that would cost half a second and belongs to _engine/spark.
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob("jars/ivy-*.jar"))), None)
