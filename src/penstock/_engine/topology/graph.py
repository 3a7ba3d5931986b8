"""The drawing surface of one `StreamsBuilder`: the steps of a program in the order it says them.

A step is frozen; drawing appends steps, and a step that grows (a split that gets another branch, a
table that is asked for its old values) is replaced. `build.py` rewrites the steps and writes them
into a `Topology`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from penstock._engine.topology.naming import NameCounter
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
from penstock._engine.topology.unnamed import Unnamed
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
    offset_reset: str | None


@dataclass(frozen=True, slots=True)
class TableFromTopic:
    """`builder.table(...)`: a source and, below it, the node that makes changes of its records."""

    name: str
    source_name: str
    topic: str
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    timestamp_extractor: TimestampExtractor | None
    offset_reset: str | None
    operation: TableSource
    is_own_changelog: bool = False
    """Whether the table's store is restored from the topic, and has no changelog besides."""


@dataclass(frozen=True, slots=True)
class Process:
    """A verb that becomes one processor node; `stores` are those it uses besides its own."""

    name: str
    operation: Operation
    stores: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepartitionNames:
    """The three nodes and the topic of a repartition step."""

    topic: str
    sink: str
    filter: str
    source: str


@dataclass(frozen=True, slots=True)
class Repartition:
    """Out to an internal topic and back: a null-key filter, a sink and, in the next sub-topology, a
    source. The filter lets everything pass if something below `takes_null_keys`.
    """

    called: RepartitionNames
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    partitions: int | None = None
    partitioner: AnyFunction | None = None
    takes_null_keys: bool = False
    mergeable: bool = True
    """Whether an optimization may let others share the topic; not if the user asked for it."""

    @property
    def name(self) -> str:
        """The node that the next verb hangs on."""
        return self.called.source


@dataclass(frozen=True, slots=True)
class TableRepartition:
    """The changes of a grouped table out to an internal topic and back."""

    topic: str
    sink: str
    name: str
    """The source's: the node that the next verb hangs on."""
    key_serde: AnySerde | None
    value_serde: AnySerde | None


@dataclass(frozen=True, slots=True)
class TableJoin:
    """`table.join(...)`: a node for the changes of each table, and one for the results of both.

    It hangs on both tables, this one first; on one only, if a table is joined with itself.
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

    It hangs on both streams; on one only if a stream is joined with itself, and then `alone` can do
    the work of both sides.
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
    """`builder.global_table(...)` or `builder.add_global_store(...)`: a store that every worker
    holds whole, the source that feeds it and the node that writes it.
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
    """`builder.add_state_store(...)`: no node, but there from here on."""

    store: StoreBuilder

    @property
    def name(self) -> str:
        return self.store.name


Drawing: TypeAlias = (
    StreamSource
    | TableFromTopic
    | Process
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
    """A drawing, what it hangs on (indices of other steps) and where the user wrote it.

    Of the steps whose parents are written, the one of the lowest `priority` is written next.
    """

    drawing: Drawing
    parents: tuple[int, ...]
    location: str | None
    priority: int


class Graph:
    """The steps drawn so far, the counter that names them, and what was left without a name."""

    def __init__(self) -> None:
        self.names = NameCounter()
        self.steps: list[Step] = []
        self.unnamed_stores = Unnamed()
        self.unnamed_changelogs = Unnamed()
        self.unnamed_repartition_topics = Unnamed()
        self.unnamed_joins = Unnamed()
        """Stores and topics of foreign-key joins, about which Java says nothing."""
        self.copartition_groups: list[frozenset[str]] = []
        """Names of sources whose topics must have the same number of partitions."""
        self.internal_topics: tuple[str, ...] = ()
        """Topics of the application's own, besides those of repartition steps."""
        self._next_priority = 0

    def add(self, drawing: Drawing, *parents: int) -> int:
        """Draw a step and give its index."""
        hangs_on = tuple(dict.fromkeys(parents))
        self.steps.append(Step(drawing, hangs_on, user_location(), self._priority()))
        return len(self.steps) - 1

    def redraw(self, index: int, drawing: Drawing) -> None:
        """Put `drawing` in the place of an earlier one."""
        self.steps[index] = replace(self.steps[index], drawing=drawing)

    def draw_again(self, index: int) -> None:
        """Say once more what was drawn: it moves behind all that was drawn since, as in Java."""
        self.steps[index] = replace(self.steps[index], priority=self._priority())

    def copartition(self, sources: frozenset[str]) -> None:
        """Say that these sources are joined: their topics must have the same partitions."""
        self.copartition_groups.append(sources)

    def _priority(self) -> int:
        self._next_priority += 1
        return self._next_priority


def takes_null_keys(drawing: Drawing) -> bool:
    """Tell whether a step has a use for records without a key: it keeps what matches nothing."""
    if isinstance(drawing, StreamJoin):
        return drawing.this.keeps_own
    if isinstance(drawing, Process):
        operation = drawing.operation
        joins = (SelfJoin, StreamTableJoin, GlobalTableJoin)
        return isinstance(operation, joins) and operation.keeps_own
    return False


def repartition_names(graph: Graph, prefix: str, *, by_user: bool) -> RepartitionNames:
    """Name a repartition step; the three numbers are used up even where the user's name is used.

    `by_user` tells whether the user chose `prefix`.
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
