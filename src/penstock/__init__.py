"""Penstock: Kafka Streams for Python, run by Spark."""

from penstock import serdes
from penstock._engine.topology.description import TopologyDescription
from penstock._engine.topology.topology import Topology
from penstock.dsl.builder import StreamsBuilder
from penstock.dsl.options import Branched, Consumed, Named, Printed, Produced, Repartitioned
from penstock.dsl.stream import BranchedKStream, KStream
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
from penstock.record import FixedKeyRecord, Headers, Record, RecordContext, RecordMetadata
from penstock.settings import StreamsConfig
from penstock.stores import KeyValueStore, Stores

__all__ = [
    "Branched",
    "BranchedKStream",
    "Cancellable",
    "ConfigError",
    "Consumed",
    "FixedKeyProcessor",
    "FixedKeyProcessorContext",
    "FixedKeyRecord",
    "Headers",
    "KStream",
    "KeyValueStore",
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
    "Stores",
    "StreamsBuilder",
    "StreamsConfig",
    "StreamsError",
    "Topology",
    "TopologyDescription",
    "TopologyError",
    "serdes",
]
