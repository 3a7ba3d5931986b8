"""Kafka's server program on this machine: its jars, and two files that are made once and kept.

One is the checkpoint that a formatted data directory begins with; Kafka's own tool writes it, and
copying it saves every later directory the start of a JVM. The other is an archive of the classes a
broker loads (class data sharing), which halves its start; the first broker leaves it behind when it
ends. All of it is in the cache and may be deleted at any time.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from penstock._engine.kafka.local_broker import class_archive, jars, java
from penstock._engine.state.files.private_files import open_private
from penstock.errors import StreamsError

KAFKA_VERSION = "4.3.1"

COORDINATES = (
    f"org.apache.kafka:kafka_2.13:{KAFKA_VERSION}",
    # Logging to standard error, set by system properties: no file to write, nothing to parse.
    "org.slf4j:slf4j-simple:1.7.36",
)

_CHECKPOINT = "bootstrap.checkpoint"
_IDENTITY = "meta.properties"

_HEARTBEAT_SECONDS = 5.0

# Settings that the format tool requires; none of them gets into the checkpoint.
_FORMAT_SETTINGS = {
    "node.id": 1,
    "process.roles": "broker,controller",
    "controller.quorum.voters": "1@127.0.0.1:1",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:1",
    "log.dirs": "data",
}


@dataclass(frozen=True, slots=True)
class Distribution:
    """Everything that is needed to run a broker."""

    java: java.Java
    jars: tuple[Path, ...]
    folder: Path
    """Where what is made once is kept."""

    def command(self, main_class: str, *arguments: str, jvm: Sequence[str] = ()) -> list[str]:
        """Return the command line that runs one of Kafka's programs."""
        classpath = os.pathsep.join(map(str, self.jars))
        return [self.java.path, *jvm, "-classpath", classpath, main_class, *arguments]

    @property
    def class_archive(self) -> Path:
        """The archive for this Java and these jars."""
        return class_archive.archive_in(self.folder, self.java, self.jars)

    def format(self, data: Path) -> None:
        """Make `data` a data directory of a new cluster, unless it is one already.

        Raises:
            StreamsError: the directory holds something else, or the cache cannot be used.
            OSError: the directory cannot be written.
        """
        if is_formatted(data):
            return
        if data.is_dir() and not is_begun(data):
            msg = f"{data} holds files that are not a broker's; use another data directory"
            raise StreamsError(msg)
        checkpoint = self._checkpoint()
        data.mkdir(parents=True, exist_ok=True)
        (data / _CHECKPOINT).write_bytes(checkpoint)
        # Not from a seed: two clusters with one id would be taken for the same one.
        cluster_id = urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
        identity = {"version": 1, "node.id": 1, "cluster.id": cluster_id}
        # Last, and whole or not at all: with it the directory counts as formatted.
        halfway = data.with_name(f".{_IDENTITY}")
        write_properties(halfway, identity)
        halfway.replace(data / _IDENTITY)

    def _checkpoint(self) -> bytes:
        kept = self.folder / "formatted"
        try:
            if not kept.is_dir():
                self._make_checkpoint(kept)
            return (kept / _CHECKPOINT).read_bytes()
        except OSError as error:
            msg = (
                f"{error.filename or kept} of the cache cannot be used ({error.strerror}); delete "
                f"{self.folder}, or set PENSTOCK_CACHE to a folder that can be written"
            )
            raise StreamsError(msg) from error

    def _make_checkpoint(self, kept: Path) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".formatted-", dir=self.folder))
        try:
            self._run_format_tool(work)
            jars.publish(work / "data", kept)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _run_format_tool(self, work: Path) -> None:
        write_properties(work / "server.properties", _FORMAT_SETTINGS)
        any_id = "A" * 22
        arguments = ["format", "--cluster-id", any_id, "--config", "server.properties"]
        done = subprocess.run(
            self.command("kafka.tools.StorageTool", *arguments),
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode != 0:
            said = done.stdout.decode("utf-8", "replace").strip()
            msg = f"Kafka's format tool failed with exit code {done.returncode}: {said}"
            raise StreamsError(msg)


def fetch(progress: jars.Progress, cache: Path | None = None) -> Distribution:
    """Find Java and Kafka, and fetch Kafka's jars if they are not in the cache.

    Raises:
        StreamsError: there is no Java 17; the jars are neither in the cache nor to be had.
    """
    root = jars.cache_root() if cache is None else cache
    found = java.find()
    try:
        with _heartbeat(progress):
            libraries = jars.resolve(COORDINATES, cache=root, progress=progress)
    except jars.JarsError as error:
        msg = f"Kafka {KAFKA_VERSION} is not on this machine yet: {error}"
        raise StreamsError(msg) from error
    return Distribution(found, tuple(libraries), root / "broker" / KAFKA_VERSION)


def is_formatted(data: Path) -> bool:
    """Yes if `data` is a broker's data directory."""
    return (data / _IDENTITY).is_file()


def is_begun(data: Path) -> bool:
    """Yes if a folder holds nothing but what `format` makes before it is a data directory: an
    interruption or a full disk may leave it so.
    """
    return data.is_dir() and all(path.name == _CHECKPOINT for path in data.iterdir())


def write_properties(path: Path, settings: Mapping[str, object]) -> None:
    """Write a Java properties file that others cannot read: it may have passwords."""
    lines = [f"{key}={_escape(str(value))}\n" for key, value in settings.items()]
    with os.fdopen(open_private(path, os.O_TRUNC), "w", encoding="ascii") as file:
        file.writelines(lines)


def _escape(value: str) -> str:
    plain = "".join(
        letter if " " <= letter <= "~" and letter != "\\" else f"\\u{ord(letter):04x}"
        for letter in value
    )
    # A blank at the beginning would be taken for part of the separator.
    return f"\\{plain}" if plain.startswith(" ") else plain


@contextmanager
def _heartbeat(progress: jars.Progress) -> Iterator[None]:
    """Print a line every few seconds; fetching without Maven can take minutes."""
    done = threading.Event()

    def beat() -> None:
        seconds = _HEARTBEAT_SECONDS
        while not done.wait(_HEARTBEAT_SECONDS):
            progress(f"still fetching, {seconds:.0f} s ...")
            seconds += _HEARTBEAT_SECONDS

    thread = threading.Thread(target=beat, name="penstock-fetch-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
