"""Handles: the step of the graph that a stream or table stands for, and what its verbs need of it.

Modules of the DSL import downwards only: handles, the functions that draw steps, the classes with
the verbs, `StreamsBuilder`. KTable is above the classes whose verbs return tables, so each handle
carries it as `new_table`; `StreamsBuilder` puts it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from penstock._engine.topology.graph import Drawing, Graph, Repartition, repartition_names
from penstock._engine.topology.rewrites.table_needs import table_operation
from penstock.dsl.options import Grouped, NameLike, given_name
from penstock.serdes import Serde

if TYPE_CHECKING:
    from penstock.dsl.table import KTable

H = TypeVar("H")
AnySerde: TypeAlias = Serde[Any] | None
"""None is the default serde."""
NewTable: TypeAlias = "Callable[[TableHandle], KTable[Any, Any]]"


@dataclass(slots=True, eq=False)
class Handle:
    """A step of a graph."""

    graph: Graph
    step: int
    new_table: NewTable

    def name(self, named: NameLike, prefix: str) -> str:
        """Return the user's name of a node, or the next one with that prefix."""
        return self.graph.names.named_or_next(given_name(named), prefix)

    def add(self, drawing: Drawing, *other_parents: int) -> int:
        """Draw a step behind this one, and return its number."""
        return self.graph.add(drawing, self.step, *other_parents)

    def table(
        self,
        step: int,
        *,
        key_serde: AnySerde,
        value_serde: AnySerde,
        sources: frozenset[str],
        queryable_store_name: str | None,
    ) -> KTable[Any, Any]:
        """Return the table whose changes `step` sends."""
        return self.new_table(
            TableHandle(
                self.graph,
                step,
                self.new_table,
                key_serde,
                value_serde,
                sources,
                queryable_store_name,
            )
        )


@dataclass(slots=True, eq=False)
class StreamHandle(Handle):
    """The step of a stream, its serdes, and the names of the source nodes above."""

    key_serde: AnySerde
    value_serde: AnySerde
    sources: frozenset[str]
    repartition_required: bool = False
    node_name: str = ""
    """The node that unnamed repartition topics and printed lines are named after."""
    repartition: int | None = None
    """The repartition step of an earlier join, which the next one without a name shares."""

    def __post_init__(self) -> None:
        self.node_name = self.node_name or self.graph.steps[self.step].drawing.name

    def then(
        self,
        step: int,
        *,
        key_serde: AnySerde,
        value_serde: AnySerde,
        repartition_required: bool,
        sources: frozenset[str] | None = None,
        node_name: str = "",
    ) -> StreamHandle:
        """Return the stream that `step` sends; it has the same sources if there are no others."""
        return StreamHandle(
            self.graph,
            step,
            self.new_table,
            key_serde,
            value_serde,
            self.sources if sources is None else sources,
            repartition_required,
            node_name,
        )


@dataclass(slots=True, eq=False)
class TableHandle(Handle):
    """The step of a table, its serdes, and the names of the source nodes above."""

    key_serde: AnySerde
    value_serde: AnySerde
    sources: frozenset[str]
    queryable_store_name: str | None

    @property
    def is_versioned(self) -> bool:
        return table_operation(self.graph, self.step).is_versioned


@dataclass(slots=True, eq=False)
class GroupedHandle(Handle):
    """The step of a stream that is grouped by key."""

    grouped: Grouped[Any, Any]
    sources: frozenset[str]
    repartition_required: bool
    repartition: int | None = None
    """The repartition step of an earlier aggregation."""

    def repartitioned(self, store: str, *, by_user: bool) -> tuple[int, frozenset[str]]:
        """Return the step that has all records of a key in one task, and the sources above it.

        `store` names the topic if the grouping does not; `by_user` says whether that name is the
        user's.
        """
        if not self.repartition_required:
            return self.step, self.sources
        grouped = self.grouped
        called = repartition_names(
            self.graph, grouped.name or store, by_user=by_user or grouped.name is not None
        )
        if self.repartition is None or grouped.name is None:
            self.repartition = self.add(Repartition(called, grouped.key, grouped.value))
        else:
            self.graph.draw_again(self.repartition)
        return self.repartition, frozenset({called.source})


@dataclass(frozen=True, slots=True)
class GlobalTableHandle:
    """The store of a global table; it has no step that others could be drawn behind."""

    graph: Graph
    store: str


class HasHandle(Generic[H]):
    """A class with verbs: all it holds is a handle."""

    __slots__ = ("_handle",)

    def __init__(self, handle: H) -> None:
        self._handle = handle


def handle_of(given: object, kind: type[H]) -> H | None:
    """Return the handle of a stream or table, None if `given` is not of that kind."""
    handle = given._handle if isinstance(given, HasHandle) else None
    return handle if isinstance(handle, kind) else None
