"""The nodes of a topology, and the operations of streams and tables.

A *node* is a vertex of the finished topology: source, processor or sink. The *operation* of a
processor node is plain data; `planner/lower.py` maps it to the operator that runs it. Facts for
rewrites and repartitioning (does it change the key?) are class variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar, TypeAlias

from penstock._engine.topology.checks import check_supplier
from penstock._engine.topology.nodes.views import StoredRows, View
from penstock.errors import TopologyError
from penstock.processor import FixedKeyProcessor, MarksRecords
from penstock.serdes import Serde
from penstock.stores import StoreBuilder
from penstock.timestamps import TimestampExtractor

AnyFunction: TypeAlias = Callable[..., Any]
AnySerde: TypeAlias = Serde[Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What a processor node does with a record."""

    changes_key: ClassVar[bool] = False
    changes_value: ClassVar[bool] = False

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        """Return the stores that the operation owns."""
        return ()

    def side_outputs(self) -> tuple[str, ...]:
        """Return the children that get records by name only."""
        return ()

    def grace_ms(self) -> int | None:
        """Return how long after its end a window of this operation accepts records; None without
        windows.
        """
        return None


@dataclass(frozen=True, slots=True)
class TableOperation(Operation):
    """An operation whose results are changes of rows: the operation of a KTable."""

    sends_old_values: bool = field(default=False, kw_only=True)
    """Whether a change also has the old value: a verb below needs it."""
    is_versioned: bool = field(default=False, kw_only=True)
    """Whether rows have versions by timestamp: a change then also says if it is the latest."""

    def rows(self) -> View | None:
        """Return how to look up the rows that it stores; None if it stores none."""
        return None


@dataclass(frozen=True, slots=True)
class Filter(Operation):
    """Forward a record if the truth of `predicate(key, value)` equals `keep_when`."""

    predicate: AnyFunction
    keep_when: bool


@dataclass(frozen=True, slots=True)
class Map(Operation):
    """Forward `mapper(key, value)`, a pair, instead of the record."""

    changes_key: ClassVar[bool] = True

    mapper: AnyFunction


@dataclass(frozen=True, slots=True)
class SelectKey(Operation):
    """Replace the key by `mapper(key, value)`."""

    changes_key: ClassVar[bool] = True

    mapper: AnyFunction


@dataclass(frozen=True, slots=True)
class MapValues(Operation):
    """Replace the value by `mapper(value)`, or `mapper(key, value)` if `with_key`."""

    changes_value: ClassVar[bool] = True

    mapper: AnyFunction
    with_key: bool


@dataclass(frozen=True, slots=True)
class FlatMap(Operation):
    """Forward each pair of `mapper(key, value)`."""

    changes_key: ClassVar[bool] = True

    mapper: AnyFunction


@dataclass(frozen=True, slots=True)
class FlatMapValues(Operation):
    """Forward the record once for each value of `mapper(value)`, or `mapper(key, value)` if
    `with_key`.
    """

    changes_value: ClassVar[bool] = True

    mapper: AnyFunction
    with_key: bool


@dataclass(frozen=True, slots=True)
class Peek(Operation):
    """Call `action(key, value)`, then forward the record unless this is the `end` of its stream."""

    action: AnyFunction
    end: bool


@dataclass(frozen=True, slots=True)
class Print(Operation):
    """Write `[label]: text` of each record to `file` (None: standard output)."""

    label: str
    file: str | None
    mapper: AnyFunction


@dataclass(frozen=True, slots=True)
class Branch(Operation):
    """Forward to the child of the first predicate that holds, else to the default child if there is
    one.
    """

    predicates: tuple[AnyFunction, ...] = ()
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassThrough(Operation):
    """Forward every record: `merge`, and the head of each branch."""

    merges: bool = False
    """Whether it merges streams."""


@dataclass(frozen=True, slots=True)
class DropNullKeys(Operation):
    """Forward records with a key: the filter before every repartition topic."""


@dataclass(frozen=True, slots=True)
class UserProcessor(Operation):
    """A processor of the user's; `supplier()` returns a new one for each task."""

    supplier: Callable[[], Any]
    fixed_key: bool
    marks: tuple[str, str] | None = None
    """Of `write_once`: the database and the name under which records are marked as written."""

    @classmethod
    def of(cls, supplier: Callable[[], Any]) -> UserProcessor:
        """Return the operation of a supplier; `check_supplier` refuses wrong ones."""
        one = check_supplier(supplier)
        marks = one.marks if isinstance(one, MarksRecords) else None
        return cls(supplier, isinstance(one, FixedKeyProcessor), marks)


@dataclass(frozen=True, slots=True)
class Aggregate(TableOperation):
    """Fold the records of each key: `aggregator(key, value, aggregate)`, begun with
    `initializer()`.
    """

    store: StoreBuilder
    initializer: AnyFunction
    aggregator: AnyFunction

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)

    def rows(self) -> View | None:
        return StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class Reduce(TableOperation):
    """Fold the records of each key: `reducer(aggregate, value)`, begun with the first value."""

    store: StoreBuilder
    reducer: AnyFunction

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)

    def rows(self) -> View | None:
        return StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class TableSource(TableOperation):
    """Turn a stream of upserts into the changes of a table; it has its store only if a verb needs
    it.
    """

    store: StoreBuilder
    is_materialized: bool

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,) if self.is_materialized else ()

    def rows(self) -> View | None:
        return StoredRows(self.store.name, self.is_versioned) if self.is_materialized else None


@dataclass(frozen=True, slots=True)
class TableFilter(TableOperation):
    """Keep the rows of a table for which the truth of `predicate(key, value)` equals `keep_when`;
    delete the others. `is_of_versions`: the table above has versions.
    """

    predicate: AnyFunction
    keep_when: bool
    store: StoreBuilder | None
    is_of_versions: bool = False

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return () if self.store is None else (self.store,)

    def rows(self) -> View | None:
        return None if self.store is None else StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class TableMapValues(TableOperation):
    """Replace the value of each row by `mapper(value)`, or `mapper(key, value)` if `with_key`."""

    mapper: AnyFunction
    with_key: bool
    store: StoreBuilder | None

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return () if self.store is None else (self.store,)

    def rows(self) -> View | None:
        return None if self.store is None else StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class ToStream(Operation):
    """Forward the new value of each change of a table."""


@dataclass(frozen=True, slots=True)
class SourceNode:
    """Reads topics, or all topics that match `pattern`; if `is_resolved`, those of `topics`, be it
    none. The pattern stays, since stores and members know the source by it.
    """

    name: str
    topics: tuple[str, ...]
    pattern: re.Pattern[str] | None
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    timestamp_extractor: TimestampExtractor | None
    offset_reset: str | timedelta | None
    location: str | None
    is_resolved: bool = False


@dataclass(frozen=True, slots=True)
class ProcessorNode:
    """Performs its operation on the records that its parents forward."""

    name: str
    operation: Operation
    parents: tuple[str, ...]
    location: str | None


@dataclass(frozen=True, slots=True)
class SinkNode:
    """Writes to `topic`, a name or a function `(key, value, record_context) -> name`."""

    name: str
    topic: str | AnyFunction
    parents: tuple[str, ...]
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    partitioner: AnyFunction | None
    location: str | None


Node: TypeAlias = SourceNode | ProcessorNode | SinkNode


def parents_of(node: Node) -> tuple[str, ...]:
    """Return the names of the nodes that forward to `node`."""
    return () if isinstance(node, SourceNode) else node.parents


def title_of(node: Node) -> str:
    """Return `node` as text for a message: its kind, its name and the user's line."""
    kinds = {SourceNode: "source", ProcessorNode: "processor", SinkNode: "sink"}
    where = f" (defined at {node.location})" if node.location else ""
    return f"{kinds[type(node)]} {node.name!r}{where}"


def sources_above(names: Iterable[str], nodes: Mapping[str, Node]) -> dict[str, SourceNode]:
    """Return the sources, by name, whose records may reach one of the nodes of those names."""
    waiting = list(dict.fromkeys(names))
    seen = set(waiting)
    sources: dict[str, SourceNode] = {}
    while waiting:
        node = nodes[waiting.pop()]
        if isinstance(node, SourceNode):
            sources[node.name] = node
        new = [name for name in dict.fromkeys(parents_of(node)) if name not in seen]
        seen.update(new)
        waiting += new
    return sources


def check_marks(operation: Operation, parents: tuple[str, ...], nodes: Mapping[str, Node]) -> None:
    """Refuse a second `write_once` of a name below the same topic: of a record that both get, one
    would find the mark of the other, and not write. A topic has one source.

    Raises:
        TopologyError: one of `nodes` has the name.
    """
    if not isinstance(operation, UserProcessor) or operation.marks is None:
        return
    own = sources_above(parents, nodes).keys()
    for node in nodes.values():
        known = node.operation if isinstance(node, ProcessorNode) else None
        if not isinstance(known, UserProcessor) or known.marks != operation.marks:
            continue
        if own & sources_above([node.name], nodes).keys():
            name = operation.marks[1]
            msg = (
                f"write_once(name={name!r}) must have a name of its own among those that get "
                f"records of the same topic; {title_of(node)} has it, and records that it has "
                "written would not be written again; choose another name"
            )
            raise TopologyError(msg)


@dataclass(frozen=True, slots=True)
class InternalTopic:
    """A repartition topic; `partitions` None means: as many as its inputs have."""

    name: str
    partitions: int | None


@dataclass(frozen=True, slots=True)
class GlobalStoreNodes:
    """A store of which every worker has a full copy, and the names of the nodes that feed it."""

    source: str
    processor: str
    store: StoreBuilder
