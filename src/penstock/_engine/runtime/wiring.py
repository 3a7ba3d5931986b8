"""From a plan to running code: each node becomes a function that calls its children directly.

Nodes are wired from the sinks up, since a node needs its children's functions to be built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from penstock._engine.operators.site import Process, Site
from penstock._engine.planner.lower import lower
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.runtime.context import NodeContext, TaskServices
from penstock._engine.runtime.failures import Failures
from penstock._engine.runtime.output.flush_shortcut import shorten, sink_behind
from penstock._engine.runtime.output.sink import SinkBuilder, SinkSite
from penstock._engine.runtime.position import RawScope
from penstock._engine.runtime.records import HEADERS, OFFSET, TIMESTAMP
from penstock._engine.state.segments.versioned import VersionedState
from penstock._engine.state.views.join_buffer import JoinBuffer
from penstock._engine.state.views.outer_join import OuterJoinState
from penstock._engine.state.views.session import SessionState
from penstock._engine.state.views.suppression import SuppressionState
from penstock._engine.state.views.table import TableState
from penstock._engine.state.views.window import WindowState
from penstock._engine.topology.nodes import join_nodes, window_nodes
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock._engine.topology.nodes.table_nodes import TableTransformValues
from penstock.record import HeaderPairs
from penstock.settings import StreamsConfig

Callback = Callable[[], object]
S = TypeVar("S")

_KEEPS_RECORD = (
    nodes.Filter,
    nodes.DropNullKeys,
    nodes.Peek,
    nodes.Branch,
    nodes.PassThrough,
    join_nodes.KeepForJoin,
    window_nodes.CogroupMerge,
)
"""Operations that forward the record they were given; the others make a new one, in a new record
context.
"""


class Wiring:
    """The functions of all nodes of a task, and what to call at its start and end, in topology
    order.
    """

    def __init__(
        self,
        plan: SubtopologyPlan,
        task: TaskServices,
        config: StreamsConfig,
        failures: Failures,
        sinks: SinkBuilder,
    ) -> None:
        self._task = task
        self._config = config
        self._failures = failures
        self._sinks = sinks
        self._stores_of = plan.stores_of
        self._children = _children(plan)
        self._scopes = _scopes(plan)
        self.functions: dict[str, Process] = {}
        self.at_start: dict[str, list[Callback]] = {node.name: [] for node in plan.nodes}
        self.at_end: dict[str, list[Callback]] = {node.name: [] for node in plan.nodes}
        # As in Java, suppliers are called in the order of the nodes, before anything is wired.
        self._nodes = {node.name: _supplied(node) for node in plan.nodes}
        for node in reversed(self._nodes.values()):
            self.functions[node.name] = self._wire(node)

    def _wire(self, node: nodes.Node) -> Process:
        if isinstance(node, nodes.SinkNode):
            return self._sinks.build(self._sink_site(node))
        below = {name: self.functions[name] for name in self._children[node.name]}
        aside = () if isinstance(node, nodes.SourceNode) else node.operation.side_outputs()
        all_others = [child for name, child in below.items() if name not in aside]
        forward = self._begins_context(node, fan_out(all_others))
        children = {name: self._begins_context(node, child) for name, child in below.items()}
        if isinstance(node, nodes.SourceNode):
            return forward
        process = lower(node.operation, self._site(node, forward, children))
        meter = self._task.node_meter
        if meter is not None:
            process = (meter.passed if below else meter.reached)(node.name, process)
        stores = node.operation.own_stores()
        if not stores:
            return process
        if self._config.keeps_raw_bytes():
            return self._hiding_freed_bytes(node, process)
        sink = sink_behind(node, self._children, self._nodes)
        # The node in between would count none of the rows that do not pass it.
        if sink is not None and meter is None:
            shorten(self._task.state(stores[0].name, object), self._sink_site(sink), self._sinks)
        return process

    def _sink_site(self, node: nodes.SinkNode) -> SinkSite:
        return SinkSite(
            node,
            self._config.key_serde(node.key_serde, nodes.title_of(node)),
            self._config.value_serde(node.value_serde, nodes.title_of(node)),
            self._scopes[node.name],
        )

    def _site(
        self, node: nodes.ProcessorNode, forward: Process, children: dict[str, Process]
    ) -> Site:
        return Site(
            name=node.name,
            forward=forward,
            forward_at_flush=self._begins_context_at_flush(node, forward),
            children=children,
            failed=self._failures.of_node(node, self._scopes[node.name]),
            enter=self._task.position.enter_processor,
            context=NodeContext(self._task, node, self._stores_of[node.name], forward, children),
            table=self._stores(TableState),
            window=self._stores(WindowState),
            session=self._stores(SessionState),
            versioned=self._stores(VersionedState),
            outer_join=self._stores(OuterJoinState),
            suppression=self._stores(SuppressionState),
            join_buffer=self._stores(JoinBuffer),
            global_table=self._global_table,
            shared=self._task.shared,
            position=self._task.position,
            config=self._config,
            drop=self._failures.drop_in(node),
            count_dropped=self._failures.count_dropped,
            notes=self._task.notes,
            watch_idle=partial(self._task.idleness.watch, node),
            on_init=self.at_start[node.name].append,
            on_close=self.at_end[node.name].append,
        )

    def _stores(self, kind: type[S]) -> Callable[[str], S]:
        """Return the function that looks up stores of a kind by name."""
        return lambda name: self._task.state(name, kind)

    def _global_table(self, name: str) -> TableState:
        store = self._task.global_store(name)
        assert store is not None
        return store.state(TableState)

    def _begins_context(
        self, node: nodes.SourceNode | nodes.ProcessorNode, forward: Process
    ) -> Process:
        """Return `forward`, beginning a new record context if the node makes new records and a
        handler may ask for raw bytes.
        """
        keeps_record = isinstance(node, nodes.ProcessorNode) and isinstance(
            node.operation, _KEEPS_RECORD
        )
        if keeps_record or not self._config.keeps_raw_bytes():
            return forward
        scopes = list(dict.fromkeys(self._scopes[child] for child in self._children[node.name]))

        def forward_in_new_context(
            key: Any, value: Any, timestamp: int, headers: HeaderPairs
        ) -> None:
            for scope in scopes:
                scope.sent = False
            forward(key, value, timestamp, headers)

        return forward_in_new_context

    def _hiding_freed_bytes(self, node: nodes.ProcessorNode, process: Process) -> Process:
        """Return `process`, hiding the raw bytes if they are freed: a cache that it writes must not
        keep them for its flush.
        """
        position, scope = self._task.position, self._scopes[node.name]

        def process_with_bytes(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            raw = position.raw
            if raw is not None and scope.released():
                position.raw = (raw[OFFSET], raw[TIMESTAMP], None, None, raw[HEADERS])
            try:
                process(key, value, timestamp, headers)
            finally:
                position.raw = raw

        return process_with_bytes

    def _begins_context_at_flush(self, node: nodes.ProcessorNode, forward: Process) -> Process:
        """Return the `forward` of a cache's flush: flushed records have the raw bytes that the
        cache kept, whatever was sent since.
        """
        if not node.operation.own_stores() or not self._config.keeps_raw_bytes():
            return forward
        scopes = list(dict.fromkeys(self._scopes[child] for child in self._children[node.name]))

        def forward_at_flush(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            above = [scope.above for scope in scopes]
            for scope in scopes:
                scope.above = None
            try:
                forward(key, value, timestamp, headers)
            finally:
                for scope, was in zip(scopes, above, strict=True):
                    scope.above = was

        return forward_at_flush


def fan_out(targets: Sequence[Process]) -> Process:
    """Return one function that calls all targets in turn; for one target, the target itself."""
    if len(targets) == 1:
        return targets[0]
    if not targets:
        return _nowhere

    def forward(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        for target in targets:
            target(key, value, timestamp, headers)

    return forward


def _nowhere(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
    """The end of a stream that goes nowhere."""


def _supplied(node: nodes.Node) -> nodes.Node:
    """Return the node, whose supplier has been called if it has one."""
    if not isinstance(node, nodes.ProcessorNode) or not isinstance(
        node.operation, (nodes.UserProcessor, TableTransformValues)
    ):
        return node
    made = node.operation.supplier()
    return replace(node, operation=replace(node.operation, supplier=lambda: made))


def _children(plan: SubtopologyPlan) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {node.name: [] for node in plan.nodes}
    for node in plan.nodes:
        for parent in nodes.parents_of(node):
            children[parent].append(node.name)
    return children


def _scopes(plan: SubtopologyPlan) -> dict[str, RawScope]:
    """Return the record context in which the records of each node arrive."""
    arriving: dict[str, RawScope] = {}
    leaving: dict[str, RawScope] = {}
    for node in plan.nodes:
        above = list(dict.fromkeys(leaving[parent] for parent in nodes.parents_of(node)))
        arriving[node.name] = above[0] if len(above) == 1 else RawScope()
        keeps = isinstance(node, nodes.ProcessorNode) and isinstance(node.operation, _KEEPS_RECORD)
        leaving[node.name] = arriving[node.name] if keeps else RawScope(arriving[node.name])
    return arriving
