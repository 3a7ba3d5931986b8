"""Who takes part: how each is installed and started, and what it can do.

All get the same broker, topics, cores, commit interval and batching; none gets a hand-written loop.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks import environments

ROOT: Final = Path(__file__).parent.parent
RIVALS: Final = Path(__file__).parent / "rivals"

EXACTLY_ONCE: Final = "exactly_once_v2"
AT_LEAST_ONCE: Final = "at_least_once"

LINGER_MS: Final = {EXACTLY_ONCE: 100, AT_LEAST_ONCE: 20}
"""How long a batch waits to be filled. In a transaction it may take the 100 ms that are the default
of Java's streams: records are visible only after the commit, which does not wait for batches.
"""

JAVA_SETTINGS: Final = ("producer.batch.size=131072",)
"""Java's batches are 16 KB unless it is told so; the client of the others fills larger ones."""

PYSPARK: Final = "4.2.0"

BEFORE: Final = "before"
BEFORE_TITLE: Final = "Penstock, the other commit"

JAVA_OPTIONS: Final = ("-Xms2g", "-Xmx2g")

EASY: Final = frozenset({"filter-map", "count", "tumbling", "rekey"})
"""The topologies that are written for rivals."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a contender is told."""

    topology: str
    bootstrap: str
    application: str
    guarantee: str
    state_dir: Path
    target: str
    sources: Sequence[str]

    def arguments(self) -> list[str]:
        """Return it in the form that all programs take."""
        return [
            self.topology,
            self.bootstrap,
            self.application,
            self.guarantee,
            str(self.state_dir),
            self.target,
            ",".join(self.sources),
        ]


def settings(guarantee: str) -> Sequence[str]:
    """Return the arguments of both Penstock and Java."""
    return [
        "commit.interval.ms=100",
        "statestore.cache.max.bytes=10485760",
        f"producer.linger.ms={LINGER_MS[guarantee]}",
        "producer.compression.type=none",
    ]


def java_settings(guarantee: str) -> Sequence[str]:
    """Return the arguments of Java."""
    return [*settings(guarantee), *JAVA_SETTINGS]


def no_settings(_guarantee: str) -> Sequence[str]:
    """Return no arguments: they are in the contender's own program."""
    return ()


Prepare: TypeAlias = Callable[[Path], Sequence[str]]
"""A folder for this run -> the command without the job."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A program that can be measured. `commits`: its consumer group's offsets tell how far it is;
    of others the output tells it. `ends`: it ends by itself, and the JSON in its log tells how long
    it worked. `slowness`: it gets so many times fewer records, or it would take an hour.
    """

    name: str
    title: str
    prepare: Prepare
    topologies: frozenset[str] | None = None
    guarantees: Sequence[str] = (EXACTLY_ONCE, AT_LEAST_ONCE)
    commits: bool = True
    ends: bool = False
    slowness: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Callable[[str], Sequence[str]] = no_settings
    """A guarantee -> what comes after the job."""

    def can(self, topology: str, guarantee: str) -> bool:
        """Return whether it takes part in a measurement."""
        known = self.topologies is None or topology in self.topologies
        return known and guarantee in self.guarantees

    def limits(self) -> str | None:
        """Say what it has no part in; None if it does everything."""
        if self.topologies is None:
            return None
        only = "" if EXACTLY_ONCE in self.guarantees else ", without exactly-once"
        return f"{self.title}: only {', '.join(sorted(self.topologies))}{only}"


def _penstock(_folder: Path) -> Sequence[str]:
    return [sys.executable, "-m", "benchmarks.penstock_app"]


def _backfill(cores: int) -> Prepare:
    def prepare(_folder: Path) -> Sequence[str]:
        command = str(Path(sys.executable).with_name("penstock"))
        cluster = f"--set=penstock.spark.master=local[{cores}]"
        program = str(ROOT / "benchmarks" / "penstock_app.py")
        return [command, "backfill", "--json", "--quiet", cluster, program]

    return prepare


def _penstock_run(_folder: Path) -> Sequence[str]:
    command = str(Path(sys.executable).with_name("penstock"))
    return [command, "run", "--quiet", str(ROOT / "benchmarks" / "penstock_app.py")]


def _spark_submit(_folder: Path) -> Sequence[str]:
    command = str(Path(sys.executable).with_name("spark-submit"))
    program = str(ROOT / "benchmarks" / "penstock_app.py")
    told = [str(Path(sys.executable).with_name("penstock")), "jvm-options"]
    jvm = subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()
    return [command, "--master", "local[2]", "--driver-java-options", jvm, program]


def checkout(folder: Path) -> Contender:
    """Return Penstock of another commit, from a checkout that has its own environment."""

    def prepare(_folder: Path) -> Sequence[str]:
        python = folder / ".venv" / "bin" / "python"
        return [str(python), str(folder / "benchmarks" / "penstock_app.py")]

    return Contender(
        BEFORE,
        BEFORE_TITLE,
        prepare,
        environment={"PYTHONPATH": str(folder)},
        settings=settings,
    )


def _java(folder: Path) -> Sequence[str]:
    classpath = environments.java_classpath(folder / "classes")
    return ["java", *JAVA_OPTIONS, "-cp", classpath, "Contender"]


def _rival(script: str, *packages: str) -> Prepare:
    def prepare(_folder: Path) -> Sequence[str]:
        return [str(environments.python_with(packages)), str(RIVALS / script)]

    return prepare


def _pyspark(folder: Path) -> Sequence[str]:
    # Where a repository lacks a part of the connector, a folder of jars can be named instead.
    if own := os.environ.get("SPARK_KAFKA_JARS"):
        connector = ",".join(sorted(map(str, Path(own).glob("*.jar"))))
    else:
        coordinate = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{PYSPARK}"
        connector = environments.jar_list(coordinate)
    packages = (f"pyspark=={PYSPARK}", "pandas<3", "pyarrow", "protobuf")
    return [*_rival("pyspark_app.py", *packages)(folder), connector]


_ALL = (
    Contender(
        "penstock",
        "Penstock",
        _penstock,
        environment={"PYTHONPATH": str(ROOT)},
        settings=settings,
    ),
    Contender("java", "Java Kafka Streams 4.3.1", _java, settings=java_settings),
    Contender(
        "quix", "Quix Streams", _rival("quix_app.py", "quixstreams==3.28.1"), EASY, slowness=8
    ),
    Contender(
        "faust",
        "Faust",
        _rival("faust_app.py", "faust-streaming==0.15.3", "rocksdict"),
        EASY,
        (AT_LEAST_ONCE,),
        slowness=16,
    ),
    Contender(
        "bytewax",
        "Bytewax",
        _rival("bytewax_app.py", "bytewax[kafka]==0.21.1"),
        EASY - {"tumbling"},
        (AT_LEAST_ONCE,),
        slowness=8,
        commits=False,
    ),
    Contender(
        "pathway",
        "Pathway",
        _rival("pathway_app.py", "pathway==0.33.0"),
        EASY,
        (AT_LEAST_ONCE,),
        slowness=2,
        commits=False,
        environment={"PATHWAY_THREADS": "2"},
    ),
    Contender(
        "pyspark",
        "PySpark transformWithState",
        _pyspark,
        frozenset({"filter-map", "count"}),
        (AT_LEAST_ONCE,),
        slowness=8,
        commits=False,
    ),
)

CONTENDERS: Mapping[str, Contender] = {contender.name: contender for contender in _ALL}

BACKFILLS: Mapping[str, Contender] = {
    f"backfill-{cores}": Contender(
        f"backfill-{cores}",
        f"Penstock backfill, local[{cores}]",
        _backfill(cores),
        ends=True,
        environment={"PYTHONPATH": str(ROOT)},
        settings=settings,
    )
    for cores in (1, 2)
}
"""Penstock's own program again, as a Spark job that ends where history does."""

STARTS: Mapping[str, Contender] = {
    name: Contender(
        name,
        f"Penstock by `{command}`",
        prepare,
        environment={"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable},
        settings=settings,
    )
    for name, command, prepare in (
        ("penstock-run", "penstock run", _penstock_run),
        ("spark-submit", "spark-submit", _spark_submit),
    )
}
"""The other ways to start Penstock's own program."""
