"""Bytes become records: decode, then ask the extractor for the time. Bad ones meet their
handler.

Good records may be decoded by functions of C that need no bytecode in between (`fast/`); as
soon as anything is unusual, a record goes the plain way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.built_in_serdes import decoder_of_good
from penstock._engine.runtime.failures import Failures
from penstock._engine.runtime.position import RawRecord
from penstock._engine.topology.nodes.stream_nodes import SourceNode
from penstock.errors import StreamsError
from penstock.record import ConsumerRecord, Headers
from penstock.serdes import Serde
from penstock.timestamps import FailOnInvalidTimestamp, TimestampExtractor

Admitted: TypeAlias = tuple[int, Any, Any]
"""(timestamp, key, value)."""
Admit: TypeAlias = Callable[[RawRecord, int], Admitted | None]
"""`admit(raw, partition_time)` gives the record, or None if it is to be skipped."""
Head: TypeAlias = tuple[int, Any, Any, RawRecord]
"""(timestamp, key, value, raw)."""
RAW: Final = 3
Decoders: TypeAlias = tuple[Callable[[bytes], Any], Callable[[bytes], Any]]
"""What decodes good keys and good values; it raises for others."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What stands between a partition's bytes and the topology."""

    source: SourceNode
    topic: str
    partition: int
    key_serde: Serde[Any]
    value_serde: Serde[Any]
    extractor: TimestampExtractor


def make_admit(gate: Gate, failures: Failures, counters: TaskCounters) -> Admit:
    """Build the function that admits the records of one partition."""
    topic, partition, extractor = gate.topic, gate.partition, gate.extractor
    key_serde, value_serde = gate.key_serde, gate.value_serde
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
            failures.of_input(gate.source, topic, partition, raw, error)
            return None
        if not own_time or timestamp < 0:
            record = ConsumerRecord(
                topic, partition, offset, timestamp, key, value, Headers(headers)
            )
            try:
                timestamp = _checked(extractor(record, partition_time))
            except Exception as error:
                failures.fail_to_extract(gate.source, record, error)
            if timestamp < 0:
                counters.dropped_records += 1
                return None
        return timestamp, key, value

    return admit


def decoders_of(gate: Gate) -> Decoders | None:
    """Give what decodes good records of one partition; None if each must be admitted the plain way:
    serdes and extractors of the user are asked for each record, as in Java.
    """
    key, value = decoder_of_good(gate.key_serde), decoder_of_good(gate.value_serde)
    own_time = type(gate.extractor) is FailOnInvalidTimestamp
    return None if key is None or value is None or not own_time else (key, value)


def _checked(timestamp: object) -> int:
    if not isinstance(timestamp, int):
        msg = f"a timestamp extractor must give whole milliseconds; got {timestamp!r}"
        raise StreamsError(msg)
    return timestamp
