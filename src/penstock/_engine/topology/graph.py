"""The graph of one `StreamsBuilder`: the steps of a program in the order of its verbs.

A step is frozen. Verbs append steps; a step that changes (a split that gets another branch, a table
that must send its old values) is replaced. `build.py` rewrites the steps and writes them into a
`Topology`. Java: the GraphNodes of InternalStreamsBuilder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeAlias

from penstock._engine.topology.naming import GeneratedNames, NameCounter
from penstock._engine.topology.nodes.join_nodes import (
    GlobalTableJoin,
    SelfJoin,
    StreamJoinSide,
    StreamTableJoin,
)
from penstock._engine.topology.nodes.stream_nodes import (
    AnyFunction,
    AnySerde,
    Operation,
    TableSource,
)
from penstock._engine.topology.nodes.table_nodes import TableJoinMerge, TableJoinSide
from penstock.errors import user_location
from penstock.stores import StoreBuilder
from penstock.timestamps import TimestampExtractor

REPARTITION_SUFFIX = "-repartition"
_GENERATED_NAME = re.compile(r"KSTREAM.*-[0-9]{10}")


@dataclass(frozen=True, slots=True)
class StreamSource:
    """`builder.stream(...)`."""

    name: str
    topics: tuple[str, ...]
    pattern: re.Pattern[str] | None
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    timestamp_extractor: TimestampExtractor | None
    offset_reset: str | timedelta | None


@dataclass(frozen=True, slots=True)
class TableFromTopic:
    """`builder.table(...)`: a source, and the node that turns its records into changes."""

    name: str
    source_name: str
    topic: str
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    timestamp_extractor: TimestampExtractor | None
    offset_reset: str | timedelta | None
    operation: TableSource
    is_own_changelog: bool = False
    """Whether the table's store is restored from the topic, and has no changelog of its own."""


@dataclass(frozen=True, slots=True)
class ProcessorDrawing:
    """A verb that becomes one processor node; `stores` are those it uses besides its own,
    `supplied` those that came with its supplier.
    """

    name: str
    operation: Operation
    stores: tuple[str, ...] = ()
    supplied: tuple[StoreBuilder, ...] = ()


@dataclass(frozen=True, slots=True)
class RepartitionNames:
    """The three nodes and the topic of a repartition step."""

    topic: str
    sink: str
    filter: str
    source: str


@dataclass(frozen=True, slots=True)
class Repartition:
    """Through an internal topic: a null-key filter, a sink and, in the next sub-topology, a source.
    The filter passes everything if a join below `takes_null_keys`.
    """

    called: RepartitionNames
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    partitions: int | None = None
    partitioner: AnyFunction | None = None
    takes_null_keys: bool = False
    mergeable: bool = True
    """Whether an optimization may merge the topic with others; not if the user asked for it."""

    @property
    def name(self) -> str:
        """The parent of the next verb's node."""
        return self.called.source


@dataclass(frozen=True, slots=True)
class TableRepartition:
    """The changes of a grouped table through an internal topic."""

    topic: str
    sink: str
    name: str
    """The source's name: the parent of the next verb's node."""
    key_serde: AnySerde | None
    value_serde: AnySerde | None


@dataclass(frozen=True, slots=True)
class TableJoin:
    """`table.join(...)`: a node for the changes of each table, and one for the results of both.

    Its parents are both tables, this one first; only one, if a table is joined with itself.
    """

    name: str
    this_name: str
    other_name: str
    this: TableJoinSide
    other: TableJoinSide
    operation: TableJoinMerge


@dataclass(frozen=True, slots=True)
class StreamJoin:
    """`stream.join(...)` with another stream: a node for the records of each, below the one that
    keeps them, and one for the pairs of both.

    Its parents are both streams; only one if a stream is joined with itself, and then `alone` can
    replace both sides.
    """

    name: str
    this_name: str
    other_name: str
    this_kept_by: str
    other_kept_by: str
    this: StreamJoinSide
    other: StreamJoinSide
    alone: SelfJoin


@dataclass(frozen=True, slots=True)
class GlobalStore:
    """`builder.global_table(...)` or `builder.add_global_store(...)`: a store of which every worker
    has a full copy, the source that feeds it and the node that writes it.
    """

    name: str
    source_name: str
    topic: str
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    operation: Operation
    store: StoreBuilder


@dataclass(frozen=True, slots=True)
class StreamSink:
    """`stream.to(...)`."""

    name: str
    topic: str | AnyFunction
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    partitioner: AnyFunction | None


@dataclass(frozen=True, slots=True)
class StateStore:
    """`builder.add_state_store(...)`: a store without a node."""

    store: StoreBuilder

    @property
    def name(self) -> str:
        return self.store.name


Drawing: TypeAlias = (
    StreamSource
    | TableFromTopic
    | ProcessorDrawing
    | Repartition
    | TableRepartition
    | TableJoin
    | StreamJoin
    | GlobalStore
    | StreamSink
    | StateStore
)


@dataclass(frozen=True, slots=True)
class Step:
    """A drawing, the indices of its parent steps and the user's line.

    Of the steps whose parents are written, the one with the lowest `priority` is written next.
    """

    drawing: Drawing
    parents: tuple[int, ...]
    location: str | None
    priority: int


class Graph:
    """The steps so far, the counter that names them, and the names that the user did not give."""

    def __init__(self) -> None:
        self.names = NameCounter()
        self.steps: list[Step] = []
        self.unnamed_stores = GeneratedNames()
        self.unnamed_changelogs = GeneratedNames()
        self.unnamed_repartition_topics = GeneratedNames()
        self.unnamed_joins = GeneratedNames()
        """Stores and topics of foreign-key joins, of which Java does not warn."""
        self.copartition_groups: list[frozenset[str]] = []
        """Names of sources whose topics must have the same number of partitions."""
        self.internal_topics: tuple[str, ...] = ()
        """Internal topics other than those of repartition steps."""
        self.initial_tables: dict[str, Any] = {}
        """The DataFrames that tables begin with, by topic."""
        self._next_priority = 0

    def add(self, drawing: Drawing, *parents: int) -> int:
        """Append a step and return its index."""
        above = tuple(dict.fromkeys(parents))
        self.steps.append(Step(drawing, above, user_location(), self._priority()))
        return len(self.steps) - 1

    def redraw(self, index: int, drawing: Drawing) -> None:
        """Replace the drawing of a step."""
        self.steps[index] = replace(self.steps[index], drawing=drawing)

    def draw_again(self, index: int) -> None:
        """Renew the priority of a step: it is written after all steps drawn since, as in Java."""
        self.steps[index] = replace(self.steps[index], priority=self._priority())

    def copartition(self, sources: frozenset[str]) -> None:
        """Record that these sources are joined: their topics must have the same partition count."""
        self.copartition_groups.append(sources)

    def _priority(self) -> int:
        self._next_priority += 1
        return self._next_priority


def takes_null_keys(drawing: Drawing) -> bool:
    """Return whether a step uses records without a key: a join that keeps those without match."""
    if isinstance(drawing, StreamJoin):
        return drawing.this.keeps_own
    if isinstance(drawing, ProcessorDrawing):
        operation = drawing.operation
        joins = (SelfJoin, StreamTableJoin, GlobalTableJoin)
        return isinstance(operation, joins) and operation.keeps_own
    return False


def repartition_names(graph: Graph, prefix: str, *, by_user: bool) -> RepartitionNames:
    """Name a repartition step; it uses up three numbers, even with the user's name.

    `by_user`: the user chose `prefix`.
    """
    names = graph.names
    topic = prefix if prefix.endswith(REPARTITION_SUFFIX) else prefix + REPARTITION_SUFFIX
    if not by_user:
        graph.unnamed_repartition_topics.append(topic)
    sink = names.processor("KSTREAM-SINK-")
    null_key_filter = names.processor("KSTREAM-FILTER-")
    source = names.processor("KSTREAM-SOURCE-")
    if _GENERATED_NAME.fullmatch(prefix):
        return RepartitionNames(topic, sink, null_key_filter, source)
    return RepartitionNames(topic, f"{topic}-sink", f"{topic}-filter", f"{topic}-source")
