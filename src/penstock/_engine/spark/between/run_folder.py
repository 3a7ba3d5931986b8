"""The folder of a run: a checkpoint for each query, and what the next start must know.

It may be on any file system that Spark writes to. As Spark does with the offsets of a query, each
new version of the record of the run is a file of its own, named by its number and renamed into
place: a start that is killed leaves the version before it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from penstock._engine.kafka.application.carrier_topics import Offsets
from penstock.errors import ConfigError, StreamsError

Kind: TypeAlias = Literal["stream", "batch"]
_VERSIONS_KEPT = 10
ROUTED = "(routed)"
"""Stands for all topics that records may name; no topic can have this name."""


@dataclass(slots=True)
class CarriedInput:
    """An input of a run, as its folder knows it."""

    topic_id: str
    kind: Kind
    is_written: bool = False
    """Whether the batch DataFrame, if there is one, is in the topic."""
    has_initial: bool = False
    """Whether a stream began with rows of a table's `initial`."""


@dataclass(slots=True)
class RunRecord:
    """What the next start must know of a run."""

    application: str
    cluster: str
    inputs: dict[str, CarriedInput] = field(default_factory=dict)
    outputs: dict[str, dict[str, int]] = field(default_factory=dict)
    """Where the records of the run begin in topics that had others, by partition."""
    sinks: list[str] | None = None
    """The outputs that the run has known, `ROUTED` among them; None in a record of an earlier
    version, whose outputs are all those of the first start.
    """
    offsets: Offsets = field(default_factory=dict)
    """What the application had committed when the last run ended or, if `is_running`, began."""
    is_running: bool = False
    """Whether a run has begun and has not ended, or was killed: it may have committed more."""


class RunFolder:
    """The folder of a run."""

    def __init__(self, session: SparkSession, location: str) -> None:
        jvm: Any = session._jvm
        sessions: Any = session._jsparkSession
        self._jvm = jvm
        try:
            path = jvm.org.apache.hadoop.fs.Path(location)
            self._files = path.getFileSystem(sessions.sessionState().newHadoopConf())
            qualified = self._files.makeQualified(path)
        except Py4JJavaError as error:
            msg = f"folder must be a path that Spark can write to; got {location!r}: {_why(error)}"
            raise ConfigError(msg) from None
        self.location = str(qualified.toString())
        """With its file system, so that it is the same wherever the program runs."""
        self._version = -1

    def checkpoint(self, kind: Literal["inputs", "outputs"], name: str) -> str:
        """Return where the checkpoint of a query is."""
        return f"{self.location}/{kind}/{name}"

    def read(self) -> RunRecord | None:
        """Return the record of the run, None if it was never started.

        Raises:
            ConfigError: the folder cannot be read, or its record is not one.
        """
        try:
            self._version = self._latest()
            if self._version < 0:
                return None
            document = json.loads(self._text(self._path(str(self._version))))
            inputs = {topic: CarriedInput(**one) for topic, one in document.pop("inputs").items()}
            return RunRecord(inputs=inputs, **document)
        except Py4JJavaError as error:
            msg = f"folder {self.location} cannot be read: {_why(error)}"
            raise ConfigError(msg) from None
        except (ValueError, TypeError, KeyError) as error:
            msg = (
                f"folder {self.location} has a record of a run that cannot be read: {error}; is it "
                "the folder of another program?"
            )
            raise ConfigError(msg) from error

    def write(self, record: RunRecord) -> None:
        """Store the record of the run.

        Raises:
            ConfigError: the folder cannot be written to.
            StreamsError: another program stores one at this moment.
        """
        number = self._version + 1
        hidden = self._path(f".{number}.tmp")
        try:
            stream = self._files.create(hidden, True)
            stream.write(json.dumps(asdict(record), indent=1).encode())
            stream.close()
            is_ours = not self._files.exists(self._path(str(number)))
            is_ours = is_ours and self._files.rename(hidden, self._path(str(number)))
            self._files.delete(self._path(str(number - _VERSIONS_KEPT)), False)
        except Py4JJavaError as error:
            msg = f"folder {self.location} cannot be written to: {_why(error)}"
            raise ConfigError(msg) from None
        if not is_ours:
            msg = f"folder {self.location} is used by another run at this moment; end it first"
            raise StreamsError(msg)
        self._version = number

    def _latest(self) -> int:
        folder = self._path(None)
        if not self._files.exists(folder):
            return -1
        names = [one.getPath().getName() for one in self._files.listStatus(folder)]
        return max((int(name) for name in names if name.isdigit()), default=-1)

    def _path(self, name: str | None) -> Any:
        tail = "run" if name is None else f"run/{name}"
        return self._jvm.org.apache.hadoop.fs.Path(f"{self.location}/{tail}")

    def _text(self, path: Any) -> str:
        stream = self._files.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()


def _why(error: Py4JJavaError) -> str:
    return str(error.java_exception.toString()).partition("\n")[0]
