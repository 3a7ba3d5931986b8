"""What starts that are killed leave behind: no process, no JVM, no socket, no folder of Spark."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from penstock.testing.broker import LocalBroker
from tests.console.browser import wait_for
from tests.terminal import PATIENCE_SECONDS, environment

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from penstock import Consumed, KafkaStreams, Materialized, StreamsBuilder, serdes

text = serdes.string()
builder = StreamsBuilder()
builder.stream("left-in", Consumed(text, text)).group_by_key().count(Materialized("counts"))
settings = {"application.id": "left", "bootstrap.servers": sys.argv[1]}
KafkaStreams(builder.build(), settings, host=sys.argv[2]).run()
"""
# The host, when it is killed (a text that the application has shown), and how. The last is one that
# cleans up behind itself and those before.
KILLS = [
    ("spark", "PREPARING", signal.SIGKILL),
    ("spark", "STARTING SPARK", signal.SIGKILL),
    ("spark", "STARTING QUERY", signal.SIGKILL),
    ("spark", "REBALANCING", signal.SIGTERM),
    ("local", "PREPARING", signal.SIGTERM),
    ("spark", "REBALANCING", signal.SIGKILL),
    ("spark", "RUNNING", signal.SIGINT),
    ("spark", "RUNNING", signal.SIGKILL),
    ("local", "RUNNING", signal.SIGKILL),
    ("spark", "STARTING SPARK", signal.SIGTERM),
]


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Give a folder for all that is temporary; the name of a socket in it must be short."""
    with TemporaryDirectory(prefix="left-", dir="/tmp") as folder:
        yield Path(folder)


def test_starts_that_are_killed_leave_nothing(
    kafka_broker: LocalBroker, tmp_path: Path, temporary: Path
) -> None:
    start_and_kill(kafka_broker, tmp_path, temporary, KILLS[-3:])


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_starts_that_are_killed_leave_nothing(
    kafka_broker: LocalBroker, tmp_path: Path, temporary: Path
) -> None:
    start_and_kill(kafka_broker, tmp_path, temporary, KILLS * 2)


def start_and_kill(
    broker: LocalBroker, folder: Path, temporary: Path, kills: list[tuple[str, str, signal.Signals]]
) -> None:
    """Start the program as often as it is killed, and look at what is left."""
    broker.create_topic("left-in", 2)
    program = folder / "left.py"
    program.write_text(PROGRAM)
    for number, (host, moment, kill) in enumerate(kills):
        where, told = f"{host}, {moment}, {kill.name}", folder / f"told-{number}"
        with told.open("wb") as errors:
            driver = subprocess.Popen(
                [sys.executable, str(program), broker.bootstrap_servers, host],
                env={
                    **environment(folder),
                    "TMPDIR": str(temporary),
                    # The JVM does not look at TMPDIR.
                    "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={temporary}",
                },
                stderr=errors,
            )
        try:
            until_told(told, moment, driver)
            driver.send_signal(kill)
            driver.wait(PATIENCE_SECONDS)
        finally:
            driver.kill()
            driver.wait()
        wait_for(lambda: not processes_of(temporary), f"the end of all: {where}", PATIENCE_SECONDS)
        # A driver that is killed cannot remove these; the next one does, when no process has them.
        held = {lock.parent for lock in temporary.glob("penstock-*/.lock")}
        left = set(temporary.iterdir()) - {temporary / "penstock"}  # the state's place
        assert left <= held, where
    assert left == set()


def until_told(told: Path, moment: str, driver: subprocess.Popen[bytes]) -> None:
    def is_there() -> bool:
        assert driver.poll() is None, told.read_text()
        return moment in told.read_text()

    wait_for(is_there, moment, PATIENCE_SECONDS)


def processes_of(temporary: Path) -> list[int]:
    """Return the processes whose folder for temporary files this is: all that a start has begun."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended
            if f"TMPDIR={temporary}\0".encode() in place.read_bytes():
                found.append(int(place.parent.name))
    return found
