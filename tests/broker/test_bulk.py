"""Messages to and from a real broker, many at a time: what is in C does as what is in Python."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest
from confluent_kafka import KafkaError, TopicPartition

from penstock._engine.fast.choice import compiled
from penstock._engine.kafka.client import bulk
from penstock._engine.kafka.client.bulk import NO_ROOM, TAKEN, Portion, Reader, Writer
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import Output
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

OpenReader: TypeAlias = Callable[[Mapping[str, Any]], Reader]
OpenWriter: TypeAlias = Callable[[Mapping[str, Any]], Writer]

IN_C = compiled is not None and bulk.why_not_in_c() is None
COMPILED = pytest.mark.skipif(not IN_C, reason="nothing is compiled")
READERS = [
    pytest.param(bulk.PlainReader, id="Python"),
    pytest.param(bulk.CompiledReader, id="C", marks=COMPILED),
]
WRITERS = [
    pytest.param(bulk.PlainWriter, id="Python"),
    pytest.param(bulk.CompiledWriter, id="C", marks=COMPILED),
]
FOR_EVER_SECONDS, PATIENCE_SECONDS = 3600.0, 60.0
NO_BROKER = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}

MANY: list[Output] = [
    ("", None, b"a key", b"a value", 1_700_000_000_000, ()),
    ("", None, b"another key", b"", 1_700_000_000_001, ()),
    ("", 2, None, b"no key", 1_700_000_000_002, ()),
    ("", 0, b"", None, 1_700_000_000_003, ()),
    ("", 0, b"\x00\xff", b"\x00" * 1000, 0, ()),
    ("", 1, b"k", b"v", 1_700_000_000_004, (("a", b"1"), ("a", None), ("\u00fc", b""))),
    *(("", number % 3, b"%d" % number, b"v", 1_000_000 + number, ()) for number in range(3000)),
]


@pytest.mark.parametrize("open_writer", WRITERS)
@pytest.mark.parametrize("open_reader", READERS)
def test_what_is_written_is_read(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    open_writer: OpenWriter,
    open_reader: OpenReader,
) -> None:
    topic = kafka_topic("bulk", partitions=3)
    writer = open_writer(producer_of(kafka_broker))
    outputs = [(topic, *output[1:]) for output in MANY]
    assert writer.write(outputs, 0) == (len(outputs), TAKEN)
    assert writer.producer.flush(10) == 0
    assert writer.failures() == []

    expected: dict[int, list[tuple[Any, ...]]] = {0: [], 1: [], 2: []}
    for _, partition, key, value, timestamp, headers in outputs:
        place = partition_of(key or b"", 3) if partition is None else partition
        # librdkafka has no record of 1970 without a millisecond: 0 is "now" to it.
        record = (len(expected[place]), timestamp or 1, key, value, headers)
        expected[place].append(record)

    records, ends = read_all(open_reader(consumer_of(kafka_broker)), topic, 3)
    assert records == expected
    assert ends == {partition: len(those) for partition, those in expected.items()}


@pytest.mark.parametrize("open_reader", READERS)
def test_no_more_is_read_than_is_asked_for(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, open_reader: OpenReader
) -> None:
    topic = kafka_topic("limit")
    writer = bulk.PlainWriter(producer_of(kafka_broker))
    writer.write([(topic, 0, None, b"%d" % number, 1, ()) for number in range(100)], 0)
    writer.producer.flush(10)
    reader = open_reader(consumer_of(kafka_broker))
    reader.consumer.assign([TopicPartition(topic, 0, 0)])
    sizes, read = [], 0
    while read < 100:
        size = sum(len(records) for _, _, records, _ in reader.read(10, 7))
        sizes.append(size)
        read += size
    assert max(sizes) == 7
    assert read == 100
    reader.consumer.close()
    with pytest.raises(RuntimeError, match="closed"):
        reader.read(0, 1)


@COMPILED
def test_a_reader_in_c_is_woken_while_it_waits_or_before(kafka_broker: LocalBroker) -> None:
    reader = bulk.CompiledReader(consumer_of(kafka_broker))
    waiting = threading.Thread(target=reader.read, args=(FOR_EVER_SECONDS, 1), daemon=True)
    waiting.start()
    until = time.monotonic() + PATIENCE_SECONDS
    # The thread may not wait yet: a wake-up that comes too early ends the next wait.
    while waiting.is_alive() and time.monotonic() < until:
        reader.wake()
        waiting.join(0.1)
    assert not waiting.is_alive()
    reader.wake()
    assert reader.read(FOR_EVER_SECONDS, 1) == []
    reader.consumer.close()
    with pytest.raises(RuntimeError, match="closed"):
        reader.wake()


def test_a_reader_in_python_cannot_be_woken(kafka_broker: LocalBroker) -> None:
    reader = bulk.PlainReader(consumer_of(kafka_broker))
    assert not reader.can_wake
    reader.wake()
    reader.consumer.close()


@pytest.mark.parametrize("open_writer", WRITERS)
def test_what_there_is_no_room_for_is_handed_over_later(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, open_writer: OpenWriter
) -> None:
    topic = kafka_topic("room")
    writer = open_writer({**producer_of(kafka_broker), "queue.buffering.max.messages": 10})
    outputs: list[Output] = [(topic, 0, None, b"%d" % number, 1, ()) for number in range(25)]
    written, rounds = 0, 0
    while written < len(outputs):
        taken, error = writer.write(outputs, written)
        assert taken > written or error == NO_ROOM
        written, rounds = taken, rounds + 1
        writer.producer.flush(10)
    assert rounds >= 3
    records, _ = read_all(bulk.PlainReader(consumer_of(kafka_broker)), topic, 1)
    assert [record[3] for record in records[0]] == [b"%d" % number for number in range(25)]


@pytest.mark.parametrize("open_writer", WRITERS)
def test_what_cannot_be_written_is_told(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, open_writer: OpenWriter
) -> None:
    topic, other = kafka_topic("small", config={"max.message.bytes": "1000"}), kafka_topic("other")
    writer = open_writer({**producer_of(kafka_broker), "message.max.bytes": 2000})
    # At once: it is larger than the client sends.
    large: Output = (topic, 0, None, b"x" * 3000, 1, ())
    small: Output = (topic, 0, None, b"x", 1, ())
    assert writer.write([small, large, small], 0) == (1, KafkaError.MSG_SIZE_TOO_LARGE)
    writer.producer.flush(10)
    assert writer.failures() == []
    # Later: it is larger than the topic takes. Each is told once, as it was.
    middle: Output = (topic, 0, None, b"x" * 1500, 7, ())
    deleted: Output = (topic, 0, b"k" * 1500, None, 8, ())
    for output in (middle, deleted, (other, 0, None, b"fits", 1, ())):
        assert writer.write([output], 0) == (1, TAKEN)
        writer.producer.flush(10)
    first, second = writer.failures()
    assert first[:4] == (topic, 0, None, b"x" * 1500)
    assert second[:4] == (topic, 0, b"k" * 1500, None)
    assert first.error.code() == second.error.code() == KafkaError.MSG_SIZE_TOO_LARGE
    assert writer.failures() == []
    # A partition that is not there is known at once, and not told again.
    nowhere: Output = (topic, 9, None, b"x", 1, ())
    assert writer.write([nowhere], 0) == (0, KafkaError._UNKNOWN_PARTITION)
    writer.producer.flush(10)
    assert writer.failures() == []


@pytest.mark.parametrize("open_reader", READERS)
def test_faults_of_the_client_are_told_while_reading(open_reader: OpenReader) -> None:
    faults: list[KafkaError] = []
    reader = open_reader({**NO_BROKER, "group.id": "none", "error_cb": faults.append})
    for _ in range(100):
        assert reader.read(0.1, 10) == []
        if any(fault.code() == KafkaError._ALL_BROKERS_DOWN for fault in faults):
            break
    assert {fault.code() for fault in faults} >= {KafkaError._TRANSPORT}
    reader.consumer.close()


@pytest.mark.parametrize("open_writer", WRITERS)
@pytest.mark.parametrize(
    "output",
    [
        pytest.param(("t", 0, 1, b"v", 1, ()), id="key"),
        pytest.param(("t", 0, b"k", 1.5, 1, ()), id="value"),
        pytest.param((1, 0, b"k", b"v", 1, ()), id="topic"),
        pytest.param(("t", "0", b"k", b"v", 1, ()), id="partition"),
        pytest.param(("t", 0, b"k", b"v", "1", ()), id="time"),
        pytest.param(("t", 0, b"k", b"v", 1, (("h", 1.5),)), id="header"),
    ],
)
def test_what_is_no_message_is_refused(open_writer: OpenWriter, output: Any) -> None:
    writer = open_writer(NO_BROKER)
    with pytest.raises(TypeError):
        writer.write([output], 0)


@pytest.mark.parametrize("open_writer", WRITERS)
@pytest.mark.parametrize("partition", [2**31, 2**32, 2**40])
def test_a_partition_of_64_bits_is_not_cut_to_another(
    open_writer: OpenWriter, partition: int
) -> None:
    writer = open_writer(NO_BROKER)
    with pytest.raises(OverflowError):
        writer.write([("t", partition, b"k", b"v", 1, ())], 0)


@pytest.mark.parametrize("open_client", [*READERS, *WRITERS])
def test_a_client_goes_with_the_last_who_holds_it(open_client: Callable[..., Any]) -> None:
    settings = {**NO_BROKER, "group.id": "some"} if "Reader" in str(open_client) else NO_BROKER
    gc.disable()
    try:
        client = open_client(settings)
        held = weakref.ref(client)
        del client
        assert held() is None
    finally:
        gc.enable()


@COMPILED
def test_plugins_of_the_user_are_kept() -> None:
    with pytest.raises(Exception, match="no-such-plugin"):
        bulk.CompiledWriter({**NO_BROKER, "plugin.library.paths": "no-such-plugin"})


def test_a_reader_that_must_call_back_is_the_plain_one() -> None:
    tokens = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER"}
    called = {"stats_cb": print}
    for wish in (tokens, called):
        reader = bulk.open_reader({**NO_BROKER, "group.id": "some", **wish})
        assert isinstance(reader, bulk.PlainReader)
        reader.consumer.close()


def producer_of(broker: LocalBroker) -> dict[str, Any]:
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        "partitioner": "murmur2_random",
        "delivery.report.only.error": True,
        "linger.ms": 5,
    }


def consumer_of(broker: LocalBroker) -> dict[str, Any]:
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        "group.id": "bulk",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    }


def read_all(
    reader: Reader, topic: str, partitions: int
) -> tuple[dict[int, list[tuple[Any, ...]]], dict[int, int]]:
    """Read partitions to their ends; give their records, and where the ends are."""
    reader.consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    records: dict[int, list[tuple[Any, ...]]] = {number: [] for number in range(partitions)}
    ends: dict[int, int] = {}
    while len(ends) < partitions:
        portions: list[Portion] = reader.read(10, 500)
        assert portions, "nothing has come in 10 s"
        for name, number, those, event in portions:
            assert name == topic
            records[number] += those
            if event is not None:
                offset, error = event
                assert error.code() == KafkaError._PARTITION_EOF
                ends[number] = offset
    reader.consumer.close()
    return records, ends
