"""The Kafka Streams DSL. Each verb checks its arguments, adds a step to the graph and returns a new
stream or table; `handle.py` says what they hold of the graph.
"""

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

__all__ = [
    "Branched",
    "BranchedKStream",
    "BufferConfig",
    "CogroupedKStream",
    "Consumed",
    "EmitStrategy",
    "GlobalKTable",
    "Grouped",
    "Joined",
    "KGroupedStream",
    "KGroupedTable",
    "KStream",
    "KTable",
    "Materialized",
    "Named",
    "Printed",
    "Produced",
    "Repartitioned",
    "SessionWindowedCogroupedKStream",
    "SessionWindowedKStream",
    "StreamJoined",
    "StreamsBuilder",
    "Suppressed",
    "TableJoined",
    "TimeWindowedCogroupedKStream",
    "TimeWindowedKStream",
]
