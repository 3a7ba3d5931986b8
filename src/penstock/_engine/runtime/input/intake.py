"""Bytes become records: decode, then ask the timestamp extractor. Bad records go to their handler.

C decodes good records of built-in serdes (`partition_run.py`); all others take the plain way here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.failures import Failures
from penstock._engine.runtime.records import Admitted, RawRecord
from penstock._engine.topology.nodes.stream_nodes import SourceNode
from penstock.errors import StreamsError
from penstock.record import ConsumerRecord, Headers
from penstock.serdes import Serde
from penstock.serdes.contract import decoder_of_good
from penstock.timestamps import FailOnInvalidTimestamp, TimestampExtractor
from penstock.windows import END_OF_TIME

Admit: TypeAlias = Callable[[RawRecord, int], Admitted | None]
"""`admit(raw, partition_time)` returns the record, or None to skip it."""
Decoders: TypeAlias = tuple[Callable[[bytes], Any], Callable[[bytes], Any]]
"""Decoders of good keys and of good values; both raise for bad ones."""


@dataclass(frozen=True, slots=True)
class InputPartition:
    """A partition that a task reads: how its bytes become records of the topology."""

    source: SourceNode
    topic: str
    partition: int
    key_serde: Serde[Any]
    value_serde: Serde[Any]
    extractor: TimestampExtractor


def make_admit(place: InputPartition, failures: Failures, counters: TaskCounters) -> Admit:
    """Build the function that admits the records of one partition."""
    topic, partition, extractor = (
        place.topic,
        place.partition,
        place.extractor,
    )
    key_serde, value_serde = place.key_serde, place.value_serde
    # Most serdes need neither topic nor headers: their decode is called without a layer between.
    plain_key = type(key_serde).deserialize is Serde.deserialize
    plain_value = type(value_serde).deserialize is Serde.deserialize
    decode_key, decode_value = key_serde.decode, value_serde.decode
    own_time = type(extractor) is FailOnInvalidTimestamp

    def admit(raw: RawRecord, partition_time: int) -> Admitted | None:
        offset, timestamp, raw_key, raw_value, headers = raw
        try:
            if plain_key:
                key = None if raw_key is None else decode_key(raw_key)
            else:
                key = key_serde.deserialize(topic, raw_key, headers)
            if plain_value:
                value = None if raw_value is None else decode_value(raw_value)
            else:
                value = value_serde.deserialize(topic, raw_value, headers)
        except Exception as error:
            failures.of_input(place.source, topic, partition, raw, error)
            return None
        if not own_time or timestamp < 0:
            record = ConsumerRecord(
                topic, partition, offset, timestamp, key, value, Headers(headers)
            )
            try:
                timestamp = _checked(extractor(record, partition_time))
            except Exception as error:
                failures.fail_to_extract(place.source, record, error)
            if timestamp < 0:
                counters.drop_at(place.source.name, "invalid-timestamp")
                return None
        return timestamp, key, value

    return admit


def decoders_of(place: InputPartition) -> Decoders | None:
    """Return the decoders of good records of one partition; None if each record must take the plain
    way: serdes and extractors of the user run for each record, as in Java.
    """
    key, value = (
        decoder_of_good(place.key_serde),
        decoder_of_good(place.value_serde),
    )
    own_time = type(place.extractor) is FailOnInvalidTimestamp
    return None if key is None or value is None or not own_time else (key, value)


def _checked(timestamp: object) -> int:
    if not isinstance(timestamp, int):
        msg = f"a timestamp extractor must give whole milliseconds; got {timestamp!r}"
        raise StreamsError(msg)
    if timestamp > END_OF_TIME:
        msg = (
            "a timestamp extractor must give milliseconds that have room in 64 bits; got "
            f"{timestamp}"
        )
        raise StreamsError(msg)
    return timestamp
