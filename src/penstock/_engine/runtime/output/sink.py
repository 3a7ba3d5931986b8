"""A record leaves: topic, bytes, partitions. Java: SinkNode and RecordCollectorImpl.send.

The function that sends to one topic is in Python and, for built-in serdes, in C (`fast/sink.c`):
the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.operators.site import Process
from penstock._engine.runtime.failures import Failures
from penstock._engine.runtime.output.collector import Collect, Collector
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.output.row_sender import RowSender, Target
from penstock._engine.runtime.position import Position, RawScope
from penstock._engine.runtime.records import KEY, VALUE, Output
from penstock._engine.state.cache.flush import FlushListener
from penstock._engine.topology.nodes.stream_nodes import SinkNode
from penstock._engine.topology.nodes.window_nodes import partition_by_key_alone
from penstock.errors import StreamsError
from penstock.handlers import SerializationOrigin
from penstock.record import HeaderPairs, Headers, ProducerRecord, RecordContext
from penstock.serdes import Serde
from penstock.serdes.contract import encoder_of_good
from penstock.serdes.windowed import window_bytes_of

Send: TypeAlias = Callable[..., None]
"""`send(key, value, timestamp, headers, partition=None)`."""
Place: TypeAlias = Callable[[bytes], int]
"""`place(key_bytes)` returns a record's partition."""

_PARTITIONS_MAX = 1 << 31


@dataclass(frozen=True, slots=True)
class SinkSite:
    """A sink node, the serdes it writes with, and its record context."""

    node: SinkNode
    key_serde: Serde[Any]
    value_serde: Serde[Any]
    scope: RawScope


class SinkBuilder:
    """Builds the sinks of one task."""

    def __init__(
        self,
        collector: Collector,
        failures: Failures,
        position: Position,
        counters: TaskCounters,
    ) -> None:
        self._collector = collector
        self._failures = failures
        self._position = position
        self._counters = counters

    def build(self, site: SinkSite) -> Process:
        """Return the function that sends records to the topic of a sink node."""
        topic = site.node.topic
        return self._sender_to(topic, site) if isinstance(topic, str) else self._routed(site)

    def _sender_to(self, topic: str, site: SinkSite) -> Process:
        partitioner = site.node.partitioner
        if partitioner is partition_by_key_alone:
            place = self._by_key_alone(topic, window_bytes_of(site.key_serde))
            return self._sender(topic, site, place)
        send = self._sender(topic, site)
        return send if partitioner is None else self._partitioned(topic, site.node, send)

    def _sender(self, topic: str, site: SinkSite, place: Place | None = None) -> Send:
        key_serde, value_serde = site.key_serde, site.value_serde
        # Most serdes need neither topic nor headers: their encode is called directly.
        plain_key = type(key_serde).serialize is Serde.serialize
        plain_value = type(value_serde).serialize is Serde.serialize
        encode_key, encode_value = key_serde.encode, value_serde.encode
        node, scope, failed = site.node, site.scope, self._failures.of_output
        collect = self._guarded(topic, node)

        def send(
            key: Any,
            value: Any,
            timestamp: int,
            headers: HeaderPairs,
            partition: int | None = None,
        ) -> None:
            origin: SerializationOrigin = "key"
            try:
                if plain_key:
                    key_bytes = None if key is None else encode_key(key)
                else:
                    key_bytes = key_serde.serialize(topic, key, headers)
                if type(key_bytes) is not bytes:
                    _check_bytes(key_bytes, key_serde)
                origin = "value"
                if plain_value:
                    value_bytes = None if value is None else encode_value(value)
                else:
                    value_bytes = value_serde.serialize(topic, value, headers)
                if type(value_bytes) is not bytes:
                    _check_bytes(value_bytes, value_serde)
            except Exception as error:
                record = ProducerRecord(topic, partition, timestamp, key, value, Headers(headers))
                failed(node, scope, record, error, origin)
                return
            scope.sent = True
            if place is not None and key_bytes is not None:
                partition = place(key_bytes)
            collect((topic, partition, key_bytes, value_bytes, timestamp, headers))

        good_key, good_value = encoder_of_good(key_serde), encoder_of_good(value_serde)
        if compiled is None or place is not None or good_key is None or good_value is None:
            return send
        return compiled.Sender(topic, good_key, good_value, scope, collect, send).send

    def _guarded(self, topic: str, node: SinkNode) -> Collect:
        """Return the function that collects the outputs for a topic and asks the handler about
        those that Kafka would refuse. Java: the producer's callback, at once for large records.
        """
        collect, acceptance = self._collector.send, self._collector.acceptance
        if acceptance is None:
            return collect
        failed = self._failures.of_refused
        is_missing = acceptance.missing(topic) is not None

        def look_closely(output: Output) -> None:
            # A topic that was missing may have been made since.
            missing = acceptance.missing(topic) if is_missing else None
            refusal = missing or acceptance.refusal_of(output)
            if refusal is None:
                collect(output)
            else:
                failed(node, output, refusal)

        if is_missing or acceptance.watches(topic):
            return look_closely
        suspicious = acceptance.suspicious_bytes
        if compiled is not None:
            return compiled.Guard(collect, suspicious, look_closely).collect

        def guard(output: Output) -> None:
            if len(output[2] or b"") + len(output[3] or b"") >= suspicious:
                look_closely(output)
            else:
                collect(output)

        return guard

    def row_listener(
        self, topic: str, site: SinkSite, before_key: int, behind_key: int
    ) -> FlushListener | None:
        """Return the function that sends rows of a store as they are stored; None if the user's
        partitioner must see keys and values, or each output must be looked at.

        Only where all handlers are the built-in ones: the producer finds a record that Kafka
        refuses, and the record is looked at when it is processed again.
        """
        partitioner, place = site.node.partitioner, None
        acceptance = self._collector.acceptance
        if acceptance is not None and acceptance.watches(topic):
            return None
        if partitioner is partition_by_key_alone:
            place = self._by_key_alone(topic, window_bytes_of(site.key_serde))
        elif partitioner is not None:
            return None
        target = Target(topic, None, place, before_key, behind_key)
        return RowSender(self._collector.send, target).on_flush

    def _partitioned(self, topic: str, node: SinkNode, send: Send) -> Process:
        partitioner, partition_count = node.partitioner, self._collector.partition_count
        counters, failed = self._counters, self._failures.of_choice
        assert partitioner is not None

        def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            count = partition_count(topic)
            try:
                chosen = partitioner(topic, key, value, count)
                partitions = None if chosen is None else _checked(chosen)
            except Exception as error:
                raise failed(node, error) from error
            if partitions is None:
                send(key, value, timestamp, headers)
                return
            if not partitions:
                counters.drop_at(node.name, "no-partition")
            for partition in partitions:
                send(key, value, timestamp, headers, partition)

        return process

    def _by_key_alone(self, topic: str, window_bytes: int) -> Place:
        """Return the partition of windowed records: all windows of a key go to the partition of the
        key alone.
        """
        partition_count = self._collector.partition_count
        return lambda key: partition_of(key[:-window_bytes], partition_count(topic))

    def _routed(self, site: SinkSite) -> Process:
        """Return the function that chooses the topic for each record; the senders of the topics
        chosen so far are kept.
        """
        extract, position, node = site.node.topic, self._position, site.node
        assert callable(extract)
        failed = self._failures.of_choice
        known: dict[str, Process] = {}

        def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            raw = position.raw
            raw_key, raw_value = (None, None) if raw is None else (raw[KEY], raw[VALUE])
            context = RecordContext(
                position.topic,
                position.partition,
                position.offset,
                timestamp,
                Headers(headers),
                raw_key,
                raw_value,
            )
            try:
                topic = _topic(extract(key, value, context))
            except Exception as error:
                raise failed(node, error) from error
            sender = known.get(topic)
            if sender is None:
                sender = known[topic] = self._sender_to(topic, site)
            sender(key, value, timestamp, headers)

        return process


def _check_bytes(encoded: object, serde: Serde[Any]) -> None:
    """Refuse what a serde of the user made if Kafka cannot take it."""
    if encoded is not None and not isinstance(encoded, bytes):
        msg = f"{type(serde).__name__} must encode to bytes; got {type(encoded).__name__}"
        raise StreamsError(msg)


def _topic(chosen: object) -> str:
    if not isinstance(chosen, str):
        msg = f"a topic extractor must give a name; got {chosen!r}"
        raise StreamsError(msg)
    return chosen


def _checked(chosen: object) -> list[int]:
    """Return the chosen partitions, each once, in order."""
    given = chosen if isinstance(chosen, Iterable) and not isinstance(chosen, str) else (chosen,)
    partitions = set(given)
    for partition in partitions:
        if not isinstance(partition, int) or not 0 <= partition < _PARTITIONS_MAX:
            msg = f"a partitioner must give a partition, several or None; got {chosen!r}"
            raise StreamsError(msg)
    return sorted(partitions)
