"""Sends the rows that a cache flushes to a topic as they are stored.

Where `to_stream().to(topic)` is all that follows a table, with the serdes of its store, the plain
way would decode each row and encode it again, to the very same bytes. All conditions of the
shortcut are here; `sink.py: row_listener` builds what sends, `CachedStore.listen_to_rows` installs
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock._engine.runtime.output.sink import SinkBuilder, SinkSite
from penstock._engine.state.views.table import TableState
from penstock._engine.state.views.window import WindowState
from penstock._engine.topology.nodes.stream_nodes import Node, ProcessorNode, SinkNode, ToStream
from penstock.serdes import Serde
from penstock.serdes.contract import writes_as_stored
from penstock.serdes.windowed import key_serde_before_start


def sink_behind(
    node: ProcessorNode, children: Mapping[str, Sequence[str]], nodes: Mapping[str, Node]
) -> SinkNode | None:
    """Return the sink that all changes of a table go to as a stream, None if there is more to do
    with them or the node has several stores.
    """
    if len(node.operation.own_stores()) != 1:
        return None
    between = _only_child(node, children, nodes)
    if not isinstance(between, ProcessorNode) or not isinstance(between.operation, ToStream):
        return None
    end = _only_child(between, children, nodes)
    return end if isinstance(end, SinkNode) else None


def shorten(state: object, site: SinkSite, sinks: SinkBuilder) -> None:
    """Send the rows that the cache of a store flushes straight to a sink, if it would write the
    same bytes.
    """
    topic = site.node.topic
    if not isinstance(state, TableState | WindowState) or not isinstance(topic, str):
        return
    if state.cache is None:
        return
    written: Serde[Any] | None = site.key_serde
    if isinstance(state, WindowState):
        written = key_serde_before_start(site.key_serde)
    codec = state.codec
    if not writes_as_stored(codec.key_serde, written):
        return
    if not writes_as_stored(codec.value_serde, site.value_serde):
        return
    listener = sinks.row_listener(topic, site, *state.KEY_MARGINS)
    if listener is not None:
        state.cache.listen_to_rows(listener)


def _only_child(
    node: ProcessorNode, children: Mapping[str, Sequence[str]], nodes: Mapping[str, Node]
) -> Node | None:
    names = children[node.name]
    return nodes[names[0]] if len(names) == 1 else None
