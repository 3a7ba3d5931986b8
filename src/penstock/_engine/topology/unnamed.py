"""Warns of stores and internal topics that the user gave no name, or refuses them.

Their names end with a number that counts the verbs before them: if the program changes, so may the
number, and the application loses its state and the records in its topics. Each warning has the line
and what to write there. Java: InternalTopologyBuilder.checkUnprovidedNames, KIP-1111.
"""

from __future__ import annotations

import logging
import re

from penstock._engine.topology.graph import Graph
from penstock._engine.topology.topology import Topology
from penstock.errors import TopologyError

_log = logging.getLogger(__name__)

_SETTING = "ensure.explicit.internal.resource.naming"

_REMEDIES = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in (
        (r"KTABLE-FK-JOIN-SUBSCRIPTION-.*", "TableJoined('...')"),
        (r"KSTREAM-REPARTITION-.*", "Repartitioned('...')"),
        (r"KSTREAM-TOTABLE-[0-9]+-repartition", "to_table(named='...')"),
        (r"(KSTREAM|KTABLE|COGROUPKSTREAM)-(AGGREGATE|REDUCE)-.*-repartition", "Grouped('...')"),
        (r".*-repartition", "Joined(name='...') or StreamJoined(name='...')"),
        (
            r"KSTREAM-(JOINTHIS|JOINOTHER|OUTERTHIS|OUTEROTHER|OUTERSHARED)-.*-store",
            "StreamJoined(store_name='...')",
        ),
        (r".*-Buffer", "Joined(name='...')"),
        (r"KTABLE-SUPPRESS-.*", "Suppressed.until_...(name='...')"),
        (r".*", "Materialized('...')"),
    )
)


def check_names(graph: Graph, topology: Topology, *, names_required: bool) -> None:
    """Warn of each store and topic of the topology without a name of the user's. If
    `names_required`, refuse the program, also for stores that it does not need, as in Java.
    """
    if names_required:
        _refuse(graph)
    for name, place in _unnamed_stores(graph).items():
        if name in topology.stores or name in topology.global_stores:
            _warn("store", name, "what it holds is not found again", place)
    for unnamed in (graph.unnamed_repartition_topics, graph.unnamed_joins):
        for name in unnamed:
            if name in topology.internal_topics:
                _warn("topic", name, "what is under way in it is lost", unnamed.place(name))


def remedy_for(name: str) -> str:
    """Return what to write so that a store or a topic has a name of the user's."""
    return next(remedy for pattern, remedy in _REMEDIES if pattern.fullmatch(name))


def _unnamed_stores(graph: Graph) -> dict[str, str]:
    """Return the stores and their lines; of the buffer of `suppress`, Java notes the changelog."""
    logs = graph.unnamed_changelogs
    return {
        **{name: graph.unnamed_stores.place(name) for name in graph.unnamed_stores},
        **{name.removesuffix("-changelog"): logs.place(name) for name in logs},
        **{name: graph.unnamed_joins.place(name) for name in graph.unnamed_joins},
    }


def _warn(kind: str, name: str, consequence: str, place: str) -> None:
    _log.warning(
        "%s=%s at %s has no name of yours: if the program changes, its number may, and %s; write "
        "%s there, or set %s to have such programs refused",
        kind,
        name,
        place,
        consequence,
        remedy_for(name),
        _SETTING,
    )


def _refuse(graph: Graph) -> None:
    unnamed = {
        "state stores": graph.unnamed_stores,
        "changelog topics": graph.unnamed_changelogs,
        "repartition topics": graph.unnamed_repartition_topics,
    }
    listed = [
        f"{kind} " + ", ".join(f"{name} (at {names.place(name)})" for name in names)
        for kind, names in unnamed.items()
        if any(True for _ in names)
    ]
    if listed:
        remedies = dict.fromkeys(
            remedy_for(name)
            for names in (graph.unnamed_stores, graph.unnamed_repartition_topics)
            for name in names
        )
        msg = (
            f"{'; '.join(listed)} have no name of yours: their numbers change with the program, "
            f"and what they hold is not found again; write {', '.join(remedies) or 'names'} there"
        )
        raise TopologyError(msg)
