"""A record leaves: topic, bytes, partitions. Java: SinkNode and RecordCollectorImpl.send."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.operators.site import Process
from penstock._engine.runtime.collector import Collector
from penstock._engine.runtime.failures import Failures
from penstock._engine.runtime.position import Position, RawScope
from penstock._engine.topology.nodes import SinkNode
from penstock.errors import StreamsError
from penstock.handlers import SerializationOrigin
from penstock.record import HeaderPairs, Headers, ProducerRecord, RecordContext
from penstock.serdes import Serde


class SinkBuilder:
    """Builds the sinks of one task."""

    def __init__(self, collector: Collector, failures: Failures, position: Position, counters: TaskCounters) -> None:
        self._collector = collector
        self._failures = failures
        self._position = position
        self._counters = counters

    def build(self, node: SinkNode, serdes: tuple[Serde[Any], Serde[Any]], scope: RawScope) -> Process:
        """Give the function that sends records out of `node`."""
        send = self._sender(node, serdes, scope)
        if isinstance(node.topic, str):
            topic = node.topic
            if node.partitioner is None:
                return send(topic)
            return self._partitioned(topic, node, send(topic))
        return self._routed(node, send)

    def _sender(
        self, node: SinkNode, serdes: tuple[Serde[Any], Serde[Any]], scope: RawScope
    ) -> Callable[[str], Callable[..., None]]:
        """Give `send(topic)`, which gives the function that serializes and collects."""
        key_serde, value_serde = serdes
        plain_key = type(key_serde).serialize is Serde.serialize
        plain_value = type(value_serde).serialize is Serde.serialize
        encode_key, encode_value = key_serde.encode, value_serde.encode
        collect, failures = self._collector.send, self._failures

        def failed(
            error: Exception, origin: SerializationOrigin, topic: str, partition: int | None,
            key: Any, value: Any, timestamp: int, headers: HeaderPairs,
        ) -> None:  # fmt: skip
            record = ProducerRecord(topic, partition, timestamp, key, value, Headers(headers))
            failures.of_output(node, scope, record, error, origin)

        def to(topic: str) -> Callable[..., None]:
            def send(
                key: Any, value: Any, timestamp: int, headers: HeaderPairs, partition: int | None = None
            ) -> None:
                try:
                    if plain_key:
                        key_bytes = None if key is None else encode_key(key)
                    else:
                        key_bytes = key_serde.serialize(topic, key, headers)
                except Exception as error:
                    failed(error, "key", topic, partition, key, value, timestamp, headers)
                    return
                try:
                    if plain_value:
                        value_bytes = None if value is None else encode_value(value)
                    else:
                        value_bytes = value_serde.serialize(topic, value, headers)
                except Exception as error:
                    failed(error, "value", topic, partition, key, value, timestamp, headers)
                    return
                scope.sent = True
                collect((topic, partition, key_bytes, value_bytes, timestamp, headers))

            return send

        return to

    def _partitioned(self, topic: str, node: SinkNode, send: Callable[..., None]) -> Process:
        partitioner, counters, partition_count = node.partitioner, self._counters, self._collector.partition_count
        assert partitioner is not None

        def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            chosen = partitioner(topic, key, value, partition_count(topic))
            if chosen is None:
                send(key, value, timestamp, headers)
                return
            partitions = {chosen} if isinstance(chosen, int) else set(_checked(chosen, node))
            if not partitions:
                counters.dropped_records += 1
            for partition in sorted(partitions):
                send(key, value, timestamp, headers, partition)

        return process

    def _routed(self, node: SinkNode, send: Callable[[str], Callable[..., None]]) -> Process:
        """Choose the topic for each record; the ways to the topics met so far are kept."""
        extract, position = node.topic, self._position
        assert callable(extract)
        known: dict[str, Process] = {}

        def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            context = RecordContext(
                position.topic, position.partition, position.offset, timestamp, Headers(headers)
            )
            topic = extract(key, value, context)
            way = known.get(topic)
            if way is None:
                if not isinstance(topic, str):
                    msg = f"the topic extractor of sink {node.name!r} must give a topic name; got {topic!r}"
                    raise StreamsError(msg)
                way = send(topic) if node.partitioner is None else self._partitioned(topic, node, send(topic))
                known[topic] = way
            way(key, value, timestamp, headers)

        return process


def _checked(chosen: object, node: SinkNode) -> Iterable[int]:
    if not isinstance(chosen, Iterable) or isinstance(chosen, str):
        msg = f"the partitioner of sink {node.name!r} must give a partition, several or None; got {chosen!r}"
        raise StreamsError(msg)
    return chosen
