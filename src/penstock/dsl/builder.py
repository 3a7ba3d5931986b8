"""StreamsBuilder: where a program begins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias, TypeVar, cast, overload

from penstock._engine.topology.build import build
from penstock._engine.topology.checks import check_option, check_store, split_topics
from penstock._engine.topology.graph import Graph, StateStore, StreamSource
from penstock._engine.topology.topology import Topology
from penstock.camel_case import ExplainsCamelCase
from penstock.dsl.options import Consumed
from penstock.dsl.stream import KStream
from penstock.stores import StoreBuilder

K = TypeVar("K")
V = TypeVar("V")

Topics: TypeAlias = str | Iterable[str] | re.Pattern[str]


class StreamsBuilder(ExplainsCamelCase):
    """Collects a program's streams and builds its topology. Java: StreamsBuilder.

    >>> builder = StreamsBuilder()
    >>> builder.stream("lines").map_values(str.upper).to("shouts")
    >>> print(builder.build().describe())
    Topologies:
       Sub-topology: 0
        Source: KSTREAM-SOURCE-0000000000 (topics: [lines])
          --> KSTREAM-MAPVALUES-0000000001
        Processor: KSTREAM-MAPVALUES-0000000001 (stores: [])
          --> KSTREAM-SINK-0000000002
          <-- KSTREAM-SOURCE-0000000000
        Sink: KSTREAM-SINK-0000000002 (topic: shouts)
          <-- KSTREAM-MAPVALUES-0000000001
    <BLANKLINE>
    <BLANKLINE>
    """

    def __init__(self) -> None:
        self._graph = Graph()

    @overload
    def stream(self, topics: Topics, consumed: None = None) -> KStream[Any, Any]: ...
    @overload
    def stream(self, topics: Topics, consumed: Consumed[K, V]) -> KStream[K, V]: ...
    def stream(self, topics: Topics, consumed: Consumed[K, V] | None = None) -> KStream[K, V]:
        """Read one topic, several, or all that match a compiled pattern. Java:
        StreamsBuilder.stream.
        """
        option = (
            Consumed[K, V]() if consumed is None else check_option(consumed, Consumed, "stream")
        )
        several = isinstance(topics, Iterable) and not isinstance(topics, (str, bytes))
        names, pattern = split_topics(cast(Iterable[object], topics) if several else [topics])
        source = StreamSource(
            name=self._graph.names.named_or_next(option.name, "KSTREAM-SOURCE-"),
            topics=tuple(dict.fromkeys(names)),
            pattern=pattern,
            key_serde=option.key,
            value_serde=option.value,
            timestamp_extractor=option.timestamp_extractor,
            offset_reset=option.offset_reset,
        )
        return KStream(
            self._graph,
            self._graph.add(source),
            key_serde=option.key,
            value_serde=option.value,
            sources=frozenset({source.name}),
            repartition_required=False,
        )

    def add_state_store(self, store: StoreBuilder) -> StreamsBuilder:
        """Add a store for `process(..., state_stores=[name])`. Java:
        StreamsBuilder.addStateStore.
        """
        self._graph.add(StateStore(check_store(store, "add_state_store")))
        return self

    def build(self) -> Topology:
        """Build the topology of all that was said so far. Java: StreamsBuilder.build."""
        return build(self._graph.steps)
