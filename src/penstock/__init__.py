"""Penstock: Kafka Streams for Python, run by Spark."""

from penstock import serdes
from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.topology import Topology
from penstock.application import KafkaStreams, State, UncaughtResponse
from penstock.dsl.builder import StreamsBuilder
from penstock.dsl.cogrouped import (
    CogroupedKStream,
    SessionWindowedCogroupedKStream,
    TimeWindowedCogroupedKStream,
)
from penstock.dsl.global_table import GlobalKTable
from penstock.dsl.grouped import KGroupedStream
from penstock.dsl.grouped_table import KGroupedTable
from penstock.dsl.options import (
    Branched,
    Consumed,
    Grouped,
    Joined,
    Materialized,
    Named,
    Printed,
    Produced,
    Repartitioned,
    StreamJoined,
    TableJoined,
)
from penstock.dsl.stream import BranchedKStream, KStream
from penstock.dsl.suppressed import BufferConfig, Suppressed
from penstock.dsl.table import KTable
from penstock.dsl.windowed import EmitStrategy, SessionWindowedKStream, TimeWindowedKStream
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
    TransformerContext,
    ValueTransformerWithKey,
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
    SessionStore,
    StateRestoreListener,
    StoreBuilder,
    Stores,
    TimestampedKeyValueStore,
    TimestampedWindowStore,
    TopicPartition,
    ValueAndTimestamp,
    VersionedKeyValueStore,
    VersionedRecord,
    WindowStore,
)
from penstock.windowed import Windowed
from penstock.windows import (
    JoinWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
    Window,
)

__all__ = [
    "Branched",
    "BranchedKStream",
    "BufferConfig",
    "Cancellable",
    "Change",
    "CogroupedKStream",
    "ConfigError",
    "Consumed",
    "EmitStrategy",
    "FixedKeyProcessor",
    "FixedKeyProcessorContext",
    "FixedKeyRecord",
    "GlobalKTable",
    "Grouped",
    "Headers",
    "JoinWindows",
    "Joined",
    "KGroupedStream",
    "KGroupedTable",
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
    "SessionStore",
    "SessionWindowedCogroupedKStream",
    "SessionWindowedKStream",
    "SessionWindows",
    "SlidingWindows",
    "State",
    "StateRestoreListener",
    "StoreBuilder",
    "Stores",
    "StreamJoined",
    "StreamsBuilder",
    "StreamsConfig",
    "StreamsError",
    "Suppressed",
    "TableJoined",
    "TimeWindowedCogroupedKStream",
    "TimeWindowedKStream",
    "TimeWindows",
    "TimestampedKeyValueStore",
    "TimestampedWindowStore",
    "TopicPartition",
    "Topology",
    "TopologyDescription",
    "TopologyError",
    "TransformerContext",
    "UncaughtResponse",
    "UnlimitedWindows",
    "ValueAndTimestamp",
    "ValueTransformerWithKey",
    "VersionedKeyValueStore",
    "VersionedRecord",
    "Window",
    "WindowStore",
    "Windowed",
    "serdes",
]
