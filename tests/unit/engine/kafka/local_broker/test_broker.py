"""The life of a broker: start, stop, locks and the sentences when it fails.

Kafka is a small Python program here, so that a start takes a moment. (The real one: tests/broker.)
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import broker as broker_module
from penstock._engine.kafka.local_broker import directory_lock, distribution, loopback
from penstock._engine.kafka.local_broker.broker import (
    LocalBroker,
    default_data_dir,
    erase,
)
from penstock._engine.kafka.local_broker.directory_lock import BrokerError, DirectoryInUseError
from penstock.errors import StreamsError
from tests.unit.engine.kafka.local_broker.conftest import KAFKA, Install

DIES = """\
import sys
print("WARN something harmless")
print("ERROR Exiting Kafka due to fatal exception", "java.lang.Oops: {why}", "\\tat Oops.java:1",
      sep="\\n", file=sys.stderr)
open("starts", "a").write("x")
sys.exit(1)
"""


def refusal(broker: LocalBroker) -> str:
    with pytest.raises(BrokerError) as caught:
        broker.start()
    return str(caught.value)


def settings(broker: LocalBroker) -> dict[str, str]:
    lines = (broker.data_dir / "server.properties").read_text().splitlines()
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def test_started_broker_answers_and_stopped_one_does_not(broker: LocalBroker) -> None:
    with broker:
        assert broker.bootstrap_servers == f"127.0.0.1:{broker.port}"
        assert loopback.broker_answers(broker.port)
    assert not loopback.broker_answers(broker.port)


@pytest.mark.slow
def test_broker_keeps_its_port_when_started_again(broker: LocalBroker) -> None:
    with broker:
        port = broker.port
    with broker:
        assert broker.port == port


def test_broker_listens_on_loopback_only_and_creates_no_topics_by_itself(
    broker: LocalBroker,
) -> None:
    with broker:
        pass
    found = settings(broker)
    plain, controller = found["listeners"].split(",")
    assert plain == f"PLAINTEXT://127.0.0.1:{broker.port}"
    assert controller.startswith("CONTROLLER://127.0.0.1:")
    assert found["auto.create.topics.enable"] == "false"


def test_settings_and_jvm_options_of_the_caller_come_last(install: Install, tmp_path: Path) -> None:
    with LocalBroker(
        tmp_path / "data", settings={"num.io.threads": 9}, jvm_options=["-Xmx1g"]
    ) as broker:
        pass
    assert settings(broker)["num.io.threads"] == "9"
    arguments = (broker.data_dir / "arguments").read_text().splitlines()
    assert arguments.index("-Xmx1g") > arguments.index("-Xmx512m")


def test_broker_that_runs_is_not_started_twice(broker: LocalBroker) -> None:
    with broker:
        assert refusal(broker).endswith("runs already; stop it first")


def test_broker_without_a_port_says_how_to_get_one(broker: LocalBroker) -> None:
    with pytest.raises(BrokerError, match="start it or give it one"):
        _ = broker.bootstrap_servers


def test_stop_and_kill_of_a_broker_that_does_not_run_do_nothing(broker: LocalBroker) -> None:
    broker.stop()
    broker.kill()
    broker.wait()


@pytest.mark.slow
def test_killed_broker_can_be_started_again(broker: LocalBroker) -> None:
    broker.start()
    broker.kill()
    assert not loopback.broker_answers(broker.port)
    with broker:
        assert loopback.broker_answers(broker.port)


def test_port_that_is_taken_is_refused_with_its_holder(install: Install, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        text = refusal(LocalBroker(tmp_path / "data", port))
    assert text.startswith(f"port {port} of 127.0.0.1 is taken by ")
    assert text.endswith(f" (process {os.getpid()}); stop it or use another port")


def test_directory_of_a_running_broker_is_refused(broker: LocalBroker) -> None:
    with broker, pytest.raises(DirectoryInUseError) as caught:
        LocalBroker(broker.data_dir).start()
    assert str(caught.value) == (
        f"the data directory {broker.data_dir} is in use by the broker at "
        f"{broker.bootstrap_servers}, started by process {os.getpid()}; "
        "stop it or use another directory"
    )
    assert caught.value.bootstrap_servers == broker.bootstrap_servers


def test_a_broker_that_is_stopped_is_not_announced_any_more(
    broker: LocalBroker, install: Install
) -> None:
    """A start would take a broker that still answers for one that goes on."""
    looks = 'def end(*_):\n    open("seen", "w").write("found " + open("broker.lock").read())'
    install(KAFKA.replace("def end(*_):", looks))
    with broker:
        assert (broker.data_dir / "broker.lock").read_text() != ""
    assert (broker.data_dir / "seen").read_text() == "found "


def test_a_broker_that_is_killed_is_not_announced_any_more(
    broker: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.start()
    said: list[str] = []
    kill = broker_module._kill

    def look(process: subprocess.Popen[bytes]) -> None:
        said.append((broker.data_dir / "broker.lock").read_text())
        kill(process)

    monkeypatch.setattr(broker_module, "_kill", look)
    broker.kill()
    assert said == [""]


def test_broker_of_an_owner_without_standard_input_ends_politely(broker: LocalBroker) -> None:
    """`python app.py <&-`: the next file that is opened gets the number of the input, which the
    watchdog has a pipe for.
    """
    saved = os.dup(0)
    os.close(0)
    try:
        broker.start()
    finally:
        os.dup2(saved, 0)
        os.close(saved)
    process = broker._process
    with pytest.raises(DirectoryInUseError):
        LocalBroker(broker.data_dir).start()
    broker.stop()
    assert process is not None
    assert process.returncode == 128 + signal.SIGTERM
    assert broker.log_path.read_text() == ""


def test_directory_that_cannot_be_made_is_refused(install: Install, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    text = refusal(LocalBroker(tmp_path / "file" / "data"))
    assert text.endswith("cannot be used (Not a directory); use another one")


def test_death_at_the_start_shows_the_end_of_the_log(broker: LocalBroker, install: Install) -> None:
    install(DIES.format(why="no such setting"))
    assert refusal(broker) == (
        f"Kafka 4.3.1 ended at its start with exit code 1; its log {broker.log_path} ends with\n"
        "  ERROR Exiting Kafka due to fatal exception\n"
        "  java.lang.Oops: no such setting\n"
        "  WARN something harmless"
    )


def test_death_without_a_word_is_told(broker: LocalBroker, install: Install) -> None:
    install("raise SystemExit(3)")
    assert refusal(broker).endswith(f"exit code 3; its log {broker.log_path} is empty")


@pytest.mark.slow
def test_port_lost_to_another_program_is_chosen_anew(broker: LocalBroker, install: Install) -> None:
    install(DIES.format(why="Address already in use"))
    assert "Address already in use" in refusal(broker)
    assert (broker.data_dir / "starts").read_text() == "xxx"


def test_directory_locked_by_another_kafka_is_refused(
    broker: LocalBroker, install: Install
) -> None:
    install(DIES.format(why="Failed to acquire lock on file .lock"))
    assert refusal(broker) == (
        f"the data directory {broker.data_dir} is in use by another Kafka; "
        "stop it or use another directory"
    )


def test_broker_that_is_never_ready_is_killed(
    broker: LocalBroker, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("import time; time.sleep(60)")
    monkeypatch.setattr(broker_module, "_READY_SECONDS", 0.1)
    assert "Kafka 4.3.1 was not ready after 0 s" in refusal(broker)
    with pytest.raises(BrokerError, match="was not ready"):
        broker.start()  # and not: the directory is in use


def test_no_java_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(StreamsError, match="there is no 'java' on the PATH; install a JDK"):
        LocalBroker(tmp_path / "data").start()


def test_wait_returns_when_another_thread_stops_the_broker(broker: LocalBroker) -> None:
    broker.start()
    stopper = threading.Timer(0.05, broker.stop)
    stopper.start()
    broker.wait()
    stopper.join()


def test_wait_tells_that_the_broker_ended_by_itself(broker: LocalBroker) -> None:
    with broker:
        assert broker._process is not None
        os.killpg(broker._process.pid, signal.SIGKILL)
        with pytest.raises(BrokerError, match=r"Kafka 4\.3\.1 ended with exit code -9; its log"):
            broker.wait()


@pytest.mark.slow
def test_first_end_leaves_a_class_archive_that_later_starts_use(
    broker: LocalBroker, install: Install
) -> None:
    kafka = install(KAFKA)
    with broker:
        assert not kafka.class_archive.exists()
    assert kafka.class_archive.read_text() == "archive"
    with broker:
        arguments = (broker.data_dir / "arguments").read_text().splitlines()
        assert f"-XX:SharedArchiveFile={kafka.class_archive}" in arguments
    assert not (broker.data_dir / "classes.jsa").exists()


@pytest.mark.slow
def test_a_jvm_with_an_agent_has_no_class_archive(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java does not start with an agent when it is to write an archive."""
    kafka = install(KAFKA)
    agent = "-javaagent:/opt/agent.jar"
    with LocalBroker(tmp_path / "data", jvm_options=[agent]) as broker:
        given = (broker.data_dir / "arguments").read_text().splitlines()
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", agent)
    with LocalBroker(tmp_path / "data"):
        inherited = (broker.data_dir / "arguments").read_text().splitlines()
    for arguments in (given, inherited):
        assert "" not in arguments
        assert not any("Archive" in argument for argument in arguments)
    assert not kafka.class_archive.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "kept"),
    [
        (DIES.format(why="a setting"), True),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", False),
    ],
    ids=["kafka-refuses", "java-crashes"],
)
def test_class_archive_is_dropped_when_java_crashes_at_the_start(
    broker: LocalBroker, install: Install, program: str, kept: bool
) -> None:
    with broker:
        pass
    kafka = install(program)
    assert kafka.class_archive.exists()
    refusal(broker)
    assert kafka.class_archive.exists() is kept


@pytest.mark.slow
def test_erase_forgets_the_cluster(broker: LocalBroker) -> None:
    with broker:
        identity = (broker.data_dir / "kafka" / "meta.properties").read_text()
    erase(broker.data_dir)
    assert not (broker.data_dir / "kafka").exists()
    with broker:
        assert (broker.data_dir / "kafka" / "meta.properties").read_text() != identity


def test_erase_of_nothing_does_nothing(tmp_path: Path) -> None:
    erase(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_a_full_disk_is_told_and_the_next_start_goes_on(
    broker: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(path: Path, settings: Mapping[str, object]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as full:
        full.setattr(distribution, "write_properties", fill)
        place = broker.data_dir / ".meta.properties"
        assert refusal(broker) == (
            f"{place} cannot be written (No space left on device); make it possible, or use "
            "another data directory"
        )
    assert [path.name for path in (broker.data_dir / "kafka").iterdir()] == ["bootstrap.checkpoint"]
    with broker:
        assert loopback.broker_answers(broker.port)


CANNOT = "cannot be written ({why}); make it possible, or use another data directory"


def test_a_disk_that_fills_up_is_not_taken_for_the_one_of_the_cache(broker: LocalBroker) -> None:
    """A limit of the size of files stands in for it: both end a copy in its middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len("check"), before[1]))
    try:
        text = refusal(broker)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    why = CANNOT.format(why="File too large")
    assert text == f"{broker.data_dir} {why}"


@pytest.mark.parametrize("name", ["broker.log", "classes.jsa"])
def test_a_file_that_cannot_be_written_is_told(broker: LocalBroker, name: str) -> None:
    (broker.data_dir / name).mkdir(parents=True)
    why = CANNOT.format(why="Is a directory")
    assert refusal(broker) == f"{broker.data_dir / name} {why}"


def test_a_broker_that_cannot_be_announced_is_told_and_ended(
    broker: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(_data_dir: Path, _servers: str) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(directory_lock, "announce", fill)
        why = CANNOT.format(why="No space left on device")
        assert refusal(broker) == f"{broker.data_dir} {why}"
    with broker:
        assert loopback.broker_answers(broker.port)


def test_erase_deletes_a_format_that_was_cut_off(tmp_path: Path) -> None:
    data = tmp_path / "kafka"
    data.mkdir()
    (data / "bootstrap.checkpoint").write_text("check")
    (tmp_path / "state").mkdir()
    erase(tmp_path)
    assert not data.exists()
    assert (tmp_path / "state").exists()  # no broker has run here


def test_erase_leaves_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "kafka").mkdir()
    (tmp_path / "kafka" / "source.java").write_text("mine")
    with pytest.raises(BrokerError, match="is not the data of a broker and is left alone"):
        erase(tmp_path)
    assert (tmp_path / "kafka" / "source.java").read_text() == "mine"


def test_erase_refuses_a_running_broker(broker: LocalBroker) -> None:
    with broker, pytest.raises(DirectoryInUseError):
        erase(broker.data_dir)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"PENSTOCK_HOME": "/a", "XDG_STATE_HOME": "/b"}, Path("/a/broker")),
        ({"XDG_STATE_HOME": "/b"}, Path("/b/penstock/broker")),
        ({}, Path.home() / ".local/state/penstock/broker"),
    ],
)
def test_default_data_directory(environment: dict[str, str], expected: Path) -> None:
    assert default_data_dir(environment) == expected
