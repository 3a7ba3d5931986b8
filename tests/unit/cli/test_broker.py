"""What `penstock broker` makes of its arguments, and what it says. (The real one: tests/broker.)"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from penstock.cli import broker as command
from penstock.cli import main
from penstock.errors import StreamsError

DATA = Path("/somewhere/data")


class FakeBroker:
    """A broker that is interrupted, or fails, as soon as somebody waits for it."""

    made: ClassVar[list[FakeBroker]]
    start_error: Exception | None = None
    end: type[BaseException] = KeyboardInterrupt

    def __init__(self, data_dir: Path, port: int | None, progress: Callable[[str], None]) -> None:
        self.data_dir = data_dir
        self.port = port
        self.bootstrap_servers = f"127.0.0.1:{port or 40000}"
        self.stopped = False
        self.made.append(self)

    def start(self) -> None:
        if self.start_error is not None:
            raise self.start_error

    def wait(self) -> None:
        raise self.end("the broker ended")

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def brokers(monkeypatch: pytest.MonkeyPatch) -> type[FakeBroker]:
    class Fresh(FakeBroker):
        made: ClassVar[list[FakeBroker]] = []

    monkeypatch.setattr(command, "LocalBroker", Fresh)
    monkeypatch.setattr(command, "default_data_dir", lambda: Path("/home/me/broker"))
    return Fresh


def test_it_says_where_it_listens_and_ends_well_by_ctrl_c(
    brokers: type[FakeBroker], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["broker", "--data", str(DATA)]) == 0
    said = capsys.readouterr()
    assert said.out == f"Kafka 4.3.1 ready at 127.0.0.1:9092 (data in {DATA})\n"
    assert said.err == "starting Kafka 4.3.1 ...\nCtrl-C stops it\n\nstopping ...\nstopped\n"
    assert [broker.stopped for broker in brokers.made] == [True]


@pytest.mark.parametrize(
    ("arguments", "data", "port"),
    [
        ([], Path("/home/me/broker"), 9092),
        (["--port", "9093"], Path("/home/me/broker"), 9093),
        (["--port", "0", "--data", str(DATA)], DATA, None),
    ],
)
def test_arguments(
    brokers: type[FakeBroker], arguments: list[str], data: Path, port: int | None
) -> None:
    main(["broker", *arguments])
    (broker,) = brokers.made
    assert (broker.data_dir, broker.port) == (data, port)


@pytest.mark.parametrize("port", ["-1", "65536", "kafka"])
def test_port_that_is_none_is_refused(
    brokers: type[FakeBroker], capsys: pytest.CaptureFixture[str], port: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["broker", f"--port={port}"])
    assert caught.value.code == 2
    assert brokers.made == []
    assert (
        "argument --port: a port must be a number from 0 to 65535; got" in capsys.readouterr().err
    )


@pytest.mark.parametrize(("arguments", "expected"), [([], []), (["--fresh"], [DATA])])
def test_only_fresh_deletes_the_data(
    brokers: type[FakeBroker],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    expected: list[Path],
) -> None:
    erased: list[Path] = []
    monkeypatch.setattr(command, "erase", erased.append)
    main(["broker", "--data", str(DATA), *arguments])
    assert erased == expected


def test_broker_that_does_not_start_is_told_in_a_sentence(
    brokers: type[FakeBroker], capsys: pytest.CaptureFixture[str]
) -> None:
    brokers.start_error = StreamsError("port 9092 is taken")
    assert main(["broker"]) == 1
    assert capsys.readouterr().err.endswith("penstock: port 9092 is taken\n")


def test_broker_that_ends_by_itself_is_told_in_a_sentence(
    brokers: type[FakeBroker], capsys: pytest.CaptureFixture[str]
) -> None:
    brokers.end = StreamsError
    assert main(["broker"]) == 1
    assert capsys.readouterr().err.endswith("penstock: the broker ended\n")
    assert brokers.made[0].stopped


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["broker", "--help"])
    assert "penstock broker --fresh" in capsys.readouterr().out
