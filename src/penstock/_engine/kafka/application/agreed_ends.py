"""Where bounded runs of one application end that are started at the same moment.

Each asks where the topics end, and while records are being written two that ask at once may get
ends of which neither is the later one: one instance would wait for records that the other does not
read, and the other way round. So each writes its ends to the task topic, and takes over the later
ones of those that were written between its asking and its own. Then of two runs one always ends
later, in every partition, or at the same place.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._clock import monotonic, new_id
from penstock._engine.kafka.client.clients import consumer_settings, producer_settings
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_PARTITION = 0
_KEY = b"bounded-ends"
_NETWORK_SECONDS = 30.0

Ends = dict[Partition, int]


def agree_on_ends(
    config: StreamsConfig, admin: AdminClient, task_topic: str, ask: Callable[[], Ends]
) -> Ends:
    """Return the ends from `ask`, or the later ones of runs that start at the same time.

    Raises:
        StreamsError: the task topic cannot be written or read.
    """
    place = task_topic, _PARTITION
    start = end_offsets(admin, [place])[place]
    ends = ask()
    own_id = new_id()
    _write(config, task_topic, own_id, ends)
    return _later(ends, _read_until(config, task_topic, start, own_id))


def _later(ends: Ends, others: list[Ends]) -> Ends:
    return {
        place: max([end, *(other[place] for other in others if place in other)])
        for place, end in ends.items()
    }


def _encoded(own_id: str, ends: Ends) -> bytes:
    rows = [[topic, partition, end] for (topic, partition), end in sorted(ends.items())]
    return zlib.compress(json.dumps({"id": own_id, "ends": rows}).encode())


def _decoded(value: bytes) -> tuple[str, Ends]:
    read = json.loads(zlib.decompress(value))
    return read["id"], {(topic, partition): end for topic, partition, end in read["ends"]}


def _write(config: StreamsConfig, topic: str, own_id: str, ends: Ends) -> None:
    settings = producer_settings(config, "ends")
    for key in ("transactional.id", "transaction.timeout.ms"):
        settings.pop(key, None)
    failures: list[str] = []
    settings["on_delivery"] = lambda error, _: failures.append(str(error)) if error else None
    producer = Producer(settings)
    producer.produce(topic, _encoded(own_id, ends), _KEY, _PARTITION)
    if producer.flush(_NETWORK_SECONDS) or failures:
        why = failures[0] if failures else f"no answer within {_NETWORK_SECONDS:.0f} s"
        msg = f"where the run ends could not be written to topic {topic!r}: {why}"
        raise StreamsError(msg)


def _read_until(config: StreamsConfig, topic: str, start: int, own_id: str) -> list[Ends]:
    """Return the ends of others that were written before our own."""
    consumer = Consumer(consumer_settings(config, "restore"))
    consumer.assign([TopicPartition(topic, _PARTITION, start)])
    others: list[Ends] = []
    deadline = monotonic() + _NETWORK_SECONDS
    try:
        while monotonic() < deadline:
            message = consumer.poll(1.0)
            if message is None or message.error() is not None:
                continue  # the end of the partition, or a fault of the moment
            if message.key() == _KEY and message.value() is not None:
                writer, ends = _decoded(message.value() or b"")
                if writer == own_id:
                    return others
                others.append(ends)
    finally:
        consumer.close()
    msg = f"what was written to topic {topic!r} cannot be read within {_NETWORK_SECONDS:.0f} s"
    raise StreamsError(msg)
