"""`penstock reset` on a real broker: it refuses, shows, does, and the application begins anew."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock import StreamsConfig
from penstock._engine.kafka.admin_calls import open_admin
from penstock._engine.kafka.groups import committed_offsets, members_of
from penstock._engine.kafka.preparation import prepare
from penstock._engine.kafka.task_host import TaskHost
from penstock._engine.kafka.topics import internal_topics
from penstock._engine.kafka.worker import Worker
from penstock._engine.runtime.collector import Output
from penstock.cli import main
from penstock.cli.programs import Application, load_application
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, run_until, write
from tests.broker.programs import counting

pytestmark = pytest.mark.slow

WORDS = [(None, word) for word in ("a", "b", "a", "c")]


class Counted:
    """An application that counts words, and the command line that is about it."""

    def __init__(self, broker: LocalBroker, folder: Path, lines: str, counts: str) -> None:
        self.broker, self.lines = broker, lines
        self.name = f"counted-{lines}"
        self.state_dir = folder / "state"
        self._program = counting(folder, self.name, lines, counts)
        self._settings = {
            "bootstrap.servers": broker.bootstrap_servers,
            "state.dir": str(self.state_dir),
            "statestore.cache.max.bytes": 0,
        }

    @property
    def application(self) -> Application:
        return load_application(self._program, self._settings)

    @property
    def config(self) -> StreamsConfig:
        return self.application.config

    def command(self, *arguments: str) -> int:
        wishes = [f"--set={key}={value}" for key, value in self._settings.items()]
        return main(["reset", self._program, *wishes, *arguments])

    def run(self, count: int) -> list[Output]:
        """Run until so many counts have been committed."""
        application = self.application

        def done(outputs: list[Output]) -> bool:
            return len([one for one in outputs if one[0].startswith("counts")]) >= count

        return run_until(application.topology, application.config, done)

    def internal_topics(self) -> list[str]:
        return internal_topics(open_admin(self.config), self.name)


@pytest.fixture
def counted(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Counted:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    lines, counts = kafka_topic("lines", 2), kafka_topic("counts", 2)
    write(kafka_broker, lines, WORDS)
    return Counted(kafka_broker, tmp_path, lines, counts)


def test_it_begins_anew(counted: Counted, capsys: pytest.CaptureFixture[str]) -> None:
    counted.run(4)
    topics = counted.internal_topics()
    assert len(topics) == 3

    assert counted.command("--dry-run") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"reset of application {counted.name}\n\ninput offsets\n")
    assert all(topic in shown for topic in topics)
    assert "4 records will be processed again" in shown
    assert counted.internal_topics() == topics

    assert counted.command("--yes") == 0
    assert capsys.readouterr().err.splitlines()[1] == "committed the new offsets"
    assert counted.internal_topics() == []
    assert list(counted.state_dir.glob("*/*_*")) == []
    committed = committed_offsets(open_admin(counted.config), counted.name)
    assert {place: committed[place] for place in committed if place[0] == counted.lines} == {
        (counted.lines, 0): 0,
        (counted.lines, 1): 0,
    }
    capsys.readouterr()
    assert counted.command("--yes") == 0
    assert "nothing to do" in capsys.readouterr().out

    # The same four words give the same counts, and none more.
    again = [
        (key, int.from_bytes(value or b"", "big"))
        for topic, _, key, value, *_ in counted.run(4)
        if topic.startswith("counts")
    ]
    assert sorted(again) == [(b"a", 1), (b"a", 2), (b"b", 1), (b"c", 1)]


def test_it_refuses_while_the_application_runs(
    counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    application = counted.application
    blueprint, admin = prepare(application.topology, application.config), open_admin(counted.config)
    with TaskHost(blueprint) as host:
        worker = Worker(blueprint, host.member_id, host, lambda outputs: None)
        _step_until(worker, lambda: bool(members_of(admin, counted.name)))
        assert counted.command("--yes") == 1
        worker.close()
    assert f"application '{counted.name}' must not run while it is reset" in capsys.readouterr().err
    assert len(counted.internal_topics()) == 3


def _step_until(worker: Worker, true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until
        worker.step()


def test_it_asks_where_nobody_said_yes(
    counted: Counted, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted.run(4)
    with open("/dev/null") as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        assert counted.command() == 1
    assert "must be confirmed, and nobody is at the terminal; pass --yes" in capsys.readouterr().err
    assert len(counted.internal_topics()) == 3


def test_without_the_program_the_group_tells_the_inputs(
    counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    counted.run(4)
    servers = counted.broker.bootstrap_servers
    about = ["--application-id", counted.name, "--bootstrap-servers", servers, "--to-latest"]
    assert main(["reset", *about, "--set", f"state.dir={counted.state_dir}", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert {change["topic"] for change in plan["offsets"]} == {counted.lines}
    # Transactions leave no marks in a topic that they only read.
    assert sum(change["after"] for change in plan["offsets"]) == 4
    assert len(counted.internal_topics()) == 3  # JSON alone changes nothing
