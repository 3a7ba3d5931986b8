"""`produce`, `consume`, `topics`, `plan` and `doctor` on a real broker."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType

from penstock.cli import main
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.programs import counting
from tests.terminal import PATIENCE_SECONDS
from tests.terminal import command as in_terminal

pytestmark = pytest.mark.slow


@pytest.fixture
def command(
    kafka_broker: LocalBroker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Run a command with some standard input; give what it prints."""
    monkeypatch.setattr(sys, "path", sys.path.copy())

    def run(*arguments: str, typed: str = "", code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        servers = ["--bootstrap-servers", kafka_broker.bootstrap_servers]
        assert main([*arguments, *servers]) == code
        said = capsys.readouterr()
        return said.out if code == 0 else said.out + said.err

    return run


def test_what_is_produced_is_consumed(command: Any, kafka_topic: CreateTopic) -> None:
    topic = kafka_topic("pairs")
    typed = "a=1\nb=NULL\n"
    command("produce", topic, "--separator", "=", "--value", "long", "--null", "NULL", typed=typed)
    assert command("consume", topic, "--value", "long", "--once") == "a\t1\nb\tnull\n"
    assert command("consume", topic, "--from", "1", "--max", "1") == "b\tnull\n"
    assert command("consume", topic, "--from", "end", "--once") == ""
    assert command("consume", topic, "--from", "1970-01-02", "--max", "1", "--value", "bytes") == (
        "a\t0000000000000001\n"
    )


def test_json_copies_a_topic(command: Any, kafka_topic: CreateTopic) -> None:
    one, two = kafka_topic("one"), kafka_topic("two", 3)
    line = '{"key": "k", "value": {"n": 1}, "timestamp": 1700000000000, "headers": [["h", "x"]]}'
    command("produce", one, "--json", "--value", "json", typed=line)
    copied = command("consume", one, "--once", "--json", "--value", "json")
    command("produce", two, "--json", "--value", "json", typed=copied)
    record = json.loads(command("consume", two, "--once", "--json", "--value", "json"))
    assert (record["key"], record["value"], record["timestamp"], record["headers"]) == (
        "k",
        {"n": 1},
        1_700_000_000_000,
        [["h", "x"]],
    )
    detailed = command("consume", one, "--once", "--details")
    assert detailed == '0:0 1700000000000 h=x\tk\t{"n":1}\n'


def test_partitions_are_checked(command: Any, kafka_topic: CreateTopic) -> None:
    topic = kafka_topic("small", 2)
    command("produce", topic, "--partition", "1", typed="x\n")
    assert command("consume", topic, "--partition", "1", "--once") == "x\n"
    assert command("consume", topic, "--partition", "0", "--once") == ""
    for verb in ("produce", "consume"):
        said = command(verb, topic, "--partition", "2", code=1)
        assert f"topic '{topic}' has the partitions 0 to 1; " in said


def test_topics_of_a_program_are_made(
    command: Any, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines = kafka_topic("lines", 3)
    program = counting(tmp_path, f"made-{lines}", lines, f"{lines}-counts")
    assert "output, MISSING" in command("topics", program)
    assert command("plan", program).splitlines()[-1].startswith("6 tasks; ")
    rows = json.loads(command("topics", program, "--create", "--partitions", "5", "--json"))
    assert [(row["name"], row["role"], row["partitions"]) for row in rows] == [
        (lines, "input", 3),
        (f"{lines}-counts", "output", 5),
    ]
    assert lines in command("topics")


def test_topics_are_made_by_name(command: Any, kafka_topic: CreateTopic) -> None:
    other = kafka_topic("other")
    names = [f"{other}-a", f"{other}-b"]
    rows = json.loads(command("topics", "--create", *names, "--partitions", "3", "--json"))
    assert [(row["name"], row["partitions"]) for row in rows] == [(name, 3) for name in names]
    command("produce", f"{other}-c", typed="x\n", code=1)
    command("produce", f"{other}-c", "--create", typed="x\n")
    assert command("consume", f"{other}-c", "--once") == "x\n"


def test_the_doctor_sees_what_is_missing(
    command: Any, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines = kafka_topic("lines", 3)
    program = counting(tmp_path, f"ill-{lines}", lines, f"{lines}-counts")
    told = command("doctor", program, "--quick", code=1)
    assert f" failed  topics: output topics are missing: {lines}-counts\n" in told
    command("topics", program, "--create")
    healed = command("doctor", program, "--quick")
    assert f"ok  topics: all are there; partitions: {lines} (3)" in healed
    assert "ok  internal topics: 3 will be made at the first start" in healed
    assert "ok  permissions: " in healed
    assert "ok  output copies: " in healed


def test_the_doctor_sees_an_output_that_takes_no_record(
    command: Any, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, counts = kafka_topic("lines"), kafka_topic("counts")
    two = ConfigEntry("min.insync.replicas", "2", incremental_operation=AlterConfigOpType.SET)
    change = ConfigResource(ResourceType.TOPIC, counts, incremental_configs=[two])
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for changed in admin.incremental_alter_configs([change]).values():
        changed.result()
    program = counting(tmp_path, f"few-{lines}", lines, counts)
    told = command("doctor", program, "--quick", code=1)
    assert f"failed  output copies: topic {counts}: 'min.insync.replicas' is 2, and it" in told


def test_every_command_takes_the_cluster_of_the_environment_and_says_so(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`run` did, of some programs, and `produce` wrote to the local broker."""
    lines, counts = kafka_topic("lines"), kafka_topic("counts")
    name = f"there-{lines}"
    program = counting(tmp_path, name, lines, counts)
    servers = kafka_broker.bootstrap_servers
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", servers)
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "path", sys.path.copy())
    state = ["--set", f"state.dir={tmp_path / 'state'}"]

    def check(told: str, by: str) -> None:
        line = f"using the cluster at {servers}, named by {by}"
        assert told.splitlines().count(line) == 1, told
        assert "local broker" not in told

    def said(*arguments: str, by: str = "PENSTOCK_BOOTSTRAP_SERVERS") -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("sea\n"))
        assert main(arguments) == 0
        told = capsys.readouterr()
        check(told.err, by)
        return told.out

    said("produce", lines)
    ran = subprocess.run(
        in_terminal("run", "--dev", "--available-now", program, *state),
        text=True,
        check=True,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,
    )
    check(ran.stderr, "PENSTOCK_BOOTSTRAP_SERVERS")
    assert said("consume", counts, "--value", "long", "--once") == "sea\t1\n"
    assert counts in said("topics")
    assert counts in said("topics", program)
    said("plan", program)
    said("doctor", program, "--quick")
    said("reset", program, "--dry-run", *state)
    said("reset", "--application-id", name, "--dry-run", *state)
    said("query", name, "counts", *state)
    # It names the cluster where neither the command line nor the program does.
    own = tmp_path / "own.py"
    text = Path(program).read_text()
    own.write_text(text.replace('{"app', f'{{"bootstrap.servers": "{servers}", "app'))
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    said("plan", str(own), by="the program")
    said("consume", counts, "--once", "--bootstrap-servers", servers, by="the command line")


def test_the_doctor_hears_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--quick", "--bootstrap-servers", "127.0.0.1:1"]) == 1
    told = capsys.readouterr().out
    assert " failed  broker: the Kafka cluster at 127.0.0.1:1 does not answer: " in told
    assert "-> is it up, is 'bootstrap.servers' right" in told
