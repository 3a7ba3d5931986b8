"""Penstock: Kafka Streams for Python, run by Spark."""

from penstock import serdes
from penstock._engine.topology.description import TopologyDescription
from penstock._engine.topology.topology import Topology
from penstock.application import KafkaStreams, State, UncaughtResponse
from penstock.dsl.builder import StreamsBuilder
from penstock.dsl.grouped import KGroupedStream
from penstock.dsl.options import (
    Branched,
    Consumed,
    Grouped,
    Materialized,
    Named,
    Printed,
    Produced,
    Repartitioned,
)
from penstock.dsl.stream import BranchedKStream, KStream
from penstock.dsl.table import KTable
from penstock.errors import (
    ConfigError,
    ProcessingError,
    SerializationError,
    StreamsError,
    TopologyError,
)
from penstock.processor import (
    Cancellable,
    FixedKeyProcessor,
    FixedKeyProcessorContext,
    Processor,
    ProcessorContext,
    PunctuationType,
)
from penstock.record import (
    Change,
    FixedKeyRecord,
    Headers,
    Record,
    RecordContext,
    RecordMetadata,
)
from penstock.settings import StreamsConfig
from penstock.stores import (
    KeyValueStore,
    StateRestoreListener,
    StoreBuilder,
    Stores,
    TimestampedKeyValueStore,
    TopicPartition,
    ValueAndTimestamp,
)

__all__ = [
    "Branched",
    "BranchedKStream",
    "Cancellable",
    "Change",
    "ConfigError",
    "Consumed",
    "FixedKeyProcessor",
    "FixedKeyProcessorContext",
    "FixedKeyRecord",
    "Grouped",
    "Headers",
    "KGroupedStream",
    "KStream",
    "KTable",
    "KafkaStreams",
    "KeyValueStore",
    "Materialized",
    "Named",
    "Printed",
    "ProcessingError",
    "Processor",
    "ProcessorContext",
    "Produced",
    "PunctuationType",
    "Record",
    "RecordContext",
    "RecordMetadata",
    "Repartitioned",
    "SerializationError",
    "State",
    "StateRestoreListener",
    "StoreBuilder",
    "Stores",
    "StreamsBuilder",
    "StreamsConfig",
    "StreamsError",
    "TimestampedKeyValueStore",
    "TopicPartition",
    "Topology",
    "TopologyDescription",
    "TopologyError",
    "UncaughtResponse",
    "ValueAndTimestamp",
    "serdes",
]
