"""What tests of all kinds share: the broker, where its data is, databases, and how properties are
tried.
"""

import itertools
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

from penstock.database import Database
from tests import postgresql_server
from tests.outside_programs import left_out, need

pytest_plugins = ["penstock.testing.broker"]

# The same examples each time: a suite that fails at random is soon not believed. To look for
# new ones: pytest --hypothesis-profile=wide.
settings.register_profile("suite", derandomize=True, deadline=None)
# For the short form of `make sanitize`, under which an example takes several times as long.
settings.register_profile("short", max_examples=20, derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=2_000, deadline=None)
settings.load_profile("suite")

# Kafka waits for the disk at every change of its metadata, and a busy disk can take longer than a
# session lasts: the data of tests is in memory where there is room for it.
_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
if _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))

# Tests start hundreds of Python processes, Spark's workers most of all, and without bytecode each
# compiles all it imports anew. Where the sources shall stay clean, it is in the build folder.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / "build" / "bytecode")
    os.environ.setdefault("PYTHONPYCACHEPREFIX", sys.pycache_prefix)

# For the same reason they take PySpark from where it is installed, not from Spark's archive.
_PROCESSES = str(Path(__file__).parent / "processes")
if _PROCESSES not in (_paths := os.environ.get("PYTHONPATH", "").split(os.pathsep)):
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_PROCESSES, *_paths]))

_numbers = itertools.count(1)

# A long file that begins late is worked at while other cores have nothing left to do.
_LONG = [
    "broker",
    "chaos",
    "console",
    "crash",
    "examples",
    "install",
    "interop",
    "refusals",
    "spark",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders whose tests take long (`make test` keeps the order), their files mixed
    and always in the same way: some of them work all the time, others mostly wait.
    """
    folders = {Path(__file__).parent / name for name in _LONG}

    def place(item: pytest.Item) -> tuple[bool, int, str]:
        if folders.isdisjoint(item.path.parents):
            return (True, 0, "")
        return (False, crc32(item.path.name.encode()), item.path.name)

    items.sort(key=place)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End with what was left out, and how to have it."""
    reports = terminalreporter.getreports("skipped")
    if lines := left_out(report.longrepr[2] for report in reports):
        terminalreporter.section("left out")
        terminalreporter.write_line("\n".join(lines))


@pytest.fixture
def no_spark_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the session that other tests of this process may have left, and spark-submit."""
    spark_context = pytest.importorskip("pyspark").SparkContext
    monkeypatch.setattr(spark_context, "_active_spark_context", None)
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_ENV_LOADED", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """Yield the address of a real PostgreSQL, or skip where none is installed."""
    pytest.importorskip("psycopg", reason="PostgreSQL needs the package psycopg")
    need("postgresql", found=postgresql_server.binaries() is not None)
    with postgresql_server.running() as address:
        yield address


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Yield an empty database, of each kind."""
    if request.param == "sqlite":
        yield Database(f"sqlite:{tmp_path / 'test.db'}")
        return
    server = Database(request.getfixturevalue("postgresql"))
    name = f"test_{next(_numbers)}"
    connection = server.connect()
    connection.execute(f"CREATE DATABASE {name}")
    yield Database(server.url.replace("/postgres?", f"/{name}?"))
    connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    connection.close()
