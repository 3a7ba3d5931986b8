"""Warns of tables whose rows would be newer than the records that they are joined with.

A row without a time has that of its sending. A task takes the older records of its inputs first, so
a stream of last year's orders passes before the customers who were written a moment ago.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

from penstock._engine.spark.between.live_inputs import LiveInput
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, SourceNode, TableSource
from penstock._engine.topology.topology import Topology

_log = logging.getLogger(__name__)


def warn_of_table_times(
    topology: Topology, inputs: Collection[LiveInput], written: Collection[str]
) -> None:
    """Warn of each batch of rows for a table that has no times, beside a stream that has them;
    `written` are the topics whose batches are written already.
    """
    timed = [one.topic for one in inputs if one.kind == "stream" and _has_times(one)]
    tables = _tables_of(topology)
    for one in inputs:
        if one.kind == "batch" and one.topic in tables and not _has_times(one):
            others = [topic for topic in timed if topic != one.topic]
            if others and one.topic not in written:
                _log.warning(
                    "topic=%s: the rows of the table have no column 'timestamp', so they have the "
                    "time of their sending, and records of %s with earlier times are processed "
                    "before them and find no rows; if that is not meant, start anew with "
                    "withColumn('timestamp', F.lit(0)) and another folder",
                    one.topic,
                    ", ".join(map(repr, others)),
                )


def _has_times(one: LiveInput) -> bool:
    return "timestamp" in one.frame.columns


def _tables_of(topology: Topology) -> set[str]:
    """Return the topics that are read as tables, but for those whose time an extractor says."""
    nodes: Iterable[object] = topology.nodes.values()
    sources = {
        parent
        for node in nodes
        if isinstance(node, ProcessorNode) and isinstance(node.operation, TableSource)
        for parent in node.parents
    }
    return {
        topic
        for name in sources
        if isinstance(source := topology.nodes[name], SourceNode)
        and source.timestamp_extractor is None
        for topic in source.topics
    }
