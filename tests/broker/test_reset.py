"""`penstock reset` on a real broker: it refuses, shows, does, and the application begins anew."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penstock import StreamsConfig
from penstock._engine.kafka.application.internal_topics import internal_topics
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.groups import committed_offsets, members_of
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import Output
from penstock.cli import main
from penstock.cli.arguments.programs import Application, load_application
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, run_until, write
from tests.broker.programs import counting
from tests.terminal import CTRL_C, CTRL_D, Terminal, shown

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

    def words(self, *arguments: str) -> list[str]:
        """Return the words of the command."""
        wishes = [f"--set={key}={value}" for key, value in self._settings.items()]
        return ["reset", self._program, *wishes, *arguments]

    def command(self, *arguments: str) -> int:
        return main(self.words(*arguments))

    def run(self, count: int) -> list[Output]:
        """Run until so many counts have been committed."""
        application = self.application

        def done(outputs: list[Output]) -> bool:
            return len([one for one in outputs if one[0].startswith("counts")]) >= count

        return run_until(application.topology, application.config, done)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Have a member of the group for a while."""
        blueprint = prepare(self.application.topology, self.config)
        admin, until = open_admin(self.config), time.monotonic() + PATIENCE_SECONDS
        with TaskHost(blueprint) as host:
            worker = open_worker(blueprint, host, lambda outputs: None)
            while not members_of(admin, self.name):
                assert time.monotonic() < until
                worker.step()
            yield
            worker.close()

    def internal_topics(self) -> list[str]:
        return internal_topics(open_admin(self.config), self.name)

    def remains(self) -> tuple[dict[Partition, int], list[str], list[Path]]:
        """Return what a reset is about: offsets, internal topics, the folders of tasks."""
        offsets = committed_offsets(self.config)
        return offsets, self.internal_topics(), sorted(self.state_dir.glob("*/*_*"))


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
    assert "committed the new offsets" in capsys.readouterr().err.splitlines()
    assert counted.internal_topics() == []
    assert list(counted.state_dir.glob("*/*_*")) == []
    committed = committed_offsets(counted.config)
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
    with counted.running():
        assert counted.command("--yes") == 1
    assert f"application '{counted.name}' must not run while it is reset" in capsys.readouterr().err
    assert len(counted.internal_topics()) == 3


def test_it_asks_without_yes(
    counted: Counted, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted.run(4)
    with open("/dev/null") as no_terminal:
        monkeypatch.setattr(sys, "stdin", no_terminal)
        assert counted.command() == 1
    assert "must be confirmed, and nobody is at the terminal; pass --yes" in capsys.readouterr().err
    assert len(counted.internal_topics()) == 3


@pytest.fixture
def question(counted: Counted, tmp_path: Path) -> Iterator[Terminal]:
    """The command in a terminal, after it has asked about an application that has counted."""
    counted.run(4)
    terminal = Terminal(*counted.words(), home=tmp_path)
    try:
        terminal.read_until(lambda text: "[y/N]" in text)
        yield terminal
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("keys", "code"),
    [(b"n\n", 1), (b"\n", 1), (b"yess\n", 1), (CTRL_D, 1), (CTRL_C, 130)],
    ids=["n", "Enter", "no answer of ours", "Ctrl-D", "Ctrl-C"],
)
def test_an_answer_other_than_yes_changes_nothing(
    counted: Counted, question: Terminal, keys: bytes, code: int
) -> None:
    before = counted.remains()
    question.press(keys)
    assert question.exit_code() == code
    asked = f"reset {counted.name}? [y/N] "
    told = shown(question.text).partition(asked)[2]
    assert told.splitlines()[1:] == ["nothing was changed"]
    assert counted.remains() == before


def test_yes_does_what_was_shown(counted: Counted, question: Terminal) -> None:
    topics = counted.internal_topics()
    question.press(b"y\n")
    assert question.exit_code() == 0
    told = shown(question.text).partition("[y/N] ")[2]
    assert told.splitlines() == [
        "y",
        f"deleted the local state in {counted.state_dir / counted.name}",
        "committed the new offsets",
        f"deleted the internal topics {', '.join(topics)}",
    ]
    assert all(topic in question.text.partition("[y/N]")[0] for topic in topics)
    offsets, *others = counted.remains()
    assert {offsets[counted.lines, partition] for partition in (0, 1)} == {0}
    assert others == [[], []]


def test_an_application_that_starts_before_the_answer_is_left_alone(
    counted: Counted, question: Terminal
) -> None:
    with counted.running():
        question.press(b"y\n")
        assert question.exit_code() == 1
    assert f"application '{counted.name}' must not run while it is reset" in question.text
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
