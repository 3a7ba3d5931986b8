"""The real broker: what it takes and keeps, and that it ends when it should.

Skipped where there is no Java or Kafka's jars cannot be fetched.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import confluent_kafka as client
import pytest
from confluent_kafka import Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource

from penstock._engine.kafka.local_broker import loopback
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.local_broker.directory_lock import BrokerError, DirectoryInUseError
from penstock.testing.broker import CreateTopic

pytest_plugins = ["penstock.testing.broker"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


def quiet(servers: str, **settings: str | int) -> dict[str, str | int | float | bool]:
    """Return a client's settings; it does not log brokers that are gone, normal here."""
    dotted = {key.replace("_", "."): value for key, value in settings.items()}
    return {"bootstrap.servers": servers, "log_level": 0, **dotted}


def produce(servers: str, topic: str, *values: bytes) -> None:
    producer = client.Producer(quiet(servers))
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(10) == 0


def consume(servers: str, topic: str, count: int) -> list[bytes | None]:
    """Read `count` values as a group does that begins at the start and reads what is committed."""
    consumer = client.Consumer(
        quiet(servers, group_id=f"readers-of-{topic}", auto_offset_reset="earliest")
    )
    consumer.subscribe([topic])
    messages: list[Message] = []
    deadline = time.monotonic() + 20
    while len(messages) < count and time.monotonic() < deadline:
        messages.extend(consumer.consume(count, 0.5))
    # One look more: there must be nothing beyond what is expected.
    messages.extend(consumer.consume(1, 0.2))
    consumer.close()
    return [message.value() for message in messages]


def transactional_producer(servers: str, transactional_id: str) -> Producer:
    producer: Producer = client.Producer(quiet(servers, transactional_id=transactional_id))
    producer.init_transactions(10)
    return producer


class Command:
    """`penstock broker` as a user runs it, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], first_line: str) -> None:
        self.process = process
        self.first_line = first_line
        self.port = int(first_line.partition("127.0.0.1:")[2].partition(" ")[0])

    def jvm_pid(self) -> int:
        (watchdog,) = children(self.process.pid)
        (jvm,) = children(watchdog)
        return jvm


@contextmanager
def penstock_broker(data: Path) -> Iterator[Command]:
    program = "import sys; from penstock.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "broker", "--port=0", f"--data={data}"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that run in the background ignore Ctrl-C, and programs inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        try:
            assert process.stdout is not None
            assert select.select([process.stdout], [], [], 60)[0]
            yield Command(process, process.stdout.readline())
        finally:
            process.kill()


def children(pid: int) -> list[int]:
    said = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in said.stdout.split()]


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_records_come_out_as_they_went_in(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("plain")
    produce(kafka_broker.bootstrap_servers, topic, b"a", b"b", b"c")
    assert consume(kafka_broker.bootstrap_servers, topic, 3) == [b"a", b"b", b"c"]


def test_records_are_not_deleted_by_their_timestamps(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    admin = AdminClient(quiet(kafka_broker.bootstrap_servers))
    topic = ConfigResource("topic", kafka_topic("old"))
    (described,) = admin.describe_configs([topic]).values()
    assert described.result(10)["retention.ms"].value == "-1"


def test_only_committed_transactions_are_seen(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    servers = kafka_broker.bootstrap_servers
    inputs, outputs = kafka_topic("inputs"), kafka_topic("outputs")
    produce(servers, inputs, b"x")
    consumer = client.Consumer(quiet(servers, group_id="copiers"))
    producer = transactional_producer(servers, "copier")
    producer.begin_transaction()
    producer.produce(outputs, b"aborted")
    producer.flush(10)
    producer.abort_transaction(10)
    producer.begin_transaction()
    producer.produce(outputs, b"committed")
    position = client.TopicPartition(inputs, 0, 1)
    producer.send_offsets_to_transaction([position], consumer.consumer_group_metadata(), 10)
    producer.commit_transaction(10)
    assert consume(servers, outputs, 1) == [b"committed"]
    assert [found.offset for found in consumer.committed([position], 10)] == [1]
    consumer.close()


def test_second_producer_of_a_transactional_id_fences_the_first(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    servers, topic = kafka_broker.bootstrap_servers, kafka_topic("fenced")
    first = transactional_producer(servers, "one-at-a-time")
    first.begin_transaction()
    first.produce(topic, b"too late")
    second = transactional_producer(servers, "one-at-a-time")
    with pytest.raises(client.KafkaException) as caught:
        first.commit_transaction(10)
    assert caught.value.args[0].code() == client.KafkaError._FENCED
    second.begin_transaction()
    second.produce(topic, b"second")
    second.commit_transaction(10)
    assert consume(servers, topic, 1) == [b"second"]


def test_topics_are_not_created_by_asking_for_them(kafka_broker: LocalBroker) -> None:
    producer = client.Producer(
        quiet(kafka_broker.bootstrap_servers, topic_metadata_propagation_max_ms=100)
    )
    producer.produce("nobody-made-this", b"x")
    producer.flush(10)
    assert "nobody-made-this" not in producer.list_topics(timeout=10).topics


def test_port_of_a_running_broker_is_refused(kafka_broker: LocalBroker, tmp_path: Path) -> None:
    with pytest.raises(BrokerError) as caught:
        LocalBroker(tmp_path, kafka_broker.port).start()
    assert f"port {kafka_broker.port} of 127.0.0.1 is taken by java (process " in str(caught.value)


def test_directory_of_a_running_broker_is_refused(kafka_broker: LocalBroker) -> None:
    with pytest.raises(DirectoryInUseError) as caught:
        LocalBroker(kafka_broker.data_dir).start()
    assert kafka_broker.bootstrap_servers in str(caught.value)


def test_start_after_a_stop_and_after_a_crash_continues_with_the_records(tmp_path: Path) -> None:
    # A comma would end Kafka's list of directories, an accent Java's properties.
    folder = tmp_path / "données, à moi"
    broker = LocalBroker(folder, settings={"broker.session.timeout.ms": 2000})
    with broker:
        servers = broker.bootstrap_servers
        broker.create_topic("kept")
        produce(servers, "kept", b"a")
    broker.start()
    assert broker.bootstrap_servers == servers
    produce(servers, "kept", b"b")
    broker.kill()
    with broker:
        assert consume(servers, "kept", 2) == [b"a", b"b"]


def test_setting_that_kafka_refuses_is_told_with_its_own_words(tmp_path: Path) -> None:
    broker = LocalBroker(tmp_path, settings={"num.io.threads": "many"})
    with pytest.raises(BrokerError) as caught:
        broker.start()
    assert "ended at its start with exit code 1" in str(caught.value)
    assert "Invalid value many for configuration num.io.threads" in str(caught.value)


def test_command_runs_until_it_is_interrupted(tmp_path: Path) -> None:
    with penstock_broker(tmp_path) as command:
        expected = f"Kafka 4.3.1 ready at 127.0.0.1:{command.port} (data in {tmp_path})\n"
        assert command.first_line == expected
        jvm = command.jvm_pid()
        command.process.send_signal(signal.SIGINT)
        _, said = command.process.communicate(timeout=120)
        assert command.process.returncode == 0
        assert said.endswith("stopping ...\nstopped\n")
        assert not exists(jvm)


def test_jvm_dies_with_an_owner_that_is_killed(tmp_path: Path) -> None:
    with penstock_broker(tmp_path) as command:
        jvm = command.jvm_pid()
        command.process.kill()
        deadline = time.monotonic() + 60
        while exists(jvm) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not exists(jvm)
        assert loopback.is_free(command.port)
