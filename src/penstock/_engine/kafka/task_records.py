"""What an application writes down about itself: records in its task topic, the last of each key
counts.
"""

from __future__ import annotations

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock import clock
from penstock._engine.kafka.clients import consumer_settings
from penstock._engine.kafka.topics import end_offsets
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_SECONDS = 30.0


def read_task_records(
    config: StreamsConfig, admin: AdminClient, topic: str, partition: int
) -> dict[bytes, bytes]:
    """Give the last committed value of each key in a partition of the task topic.

    Raises:
        StreamsError: it cannot be read.
    """
    end = end_offsets(admin, [(topic, partition)])[topic, partition]
    if end == 0:
        return {}
    # Compaction may have taken the first records away: begin with what there is.
    settings = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
    consumer = Consumer({**consumer_settings(config, "restore"), **settings})
    try:
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
        last = _read(consumer, topic, end)
    finally:
        consumer.close()
    return {key: value for key, value in last.items() if value is not None}


def _read(consumer: Consumer, topic: str, end: int) -> dict[bytes, bytes | None]:
    last: dict[bytes, bytes | None] = {}
    deadline = clock.monotonic() + _SECONDS
    while clock.monotonic() < deadline:
        message = consumer.poll(1.0)
        if message is None:
            continue
        error = message.error()
        if error is None:
            last[message.key() or b""] = message.value()
            if int(message.offset() or 0) + 1 >= end:
                return last
        elif error.code() == KafkaError._PARTITION_EOF:
            return last
        elif not error.retriable():
            msg = f"task topic {topic!r} cannot be read: {error.str()}"
            raise StreamsError(msg)
    msg = f"task topic {topic!r} cannot be read in {_SECONDS:.0f} s"
    raise StreamsError(msg)
