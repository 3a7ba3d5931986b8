"""Stores and internal topics that the user gave no name.

Their names end with a number that counts the verbs before them: if the program changes, so may the
number, and the application finds neither its state nor what is under way. So each is said, with the
place and what to write there. Java: InternalTopologyBuilder.checkUnprovidedNames, KIP-1111.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock.errors import TopologyError, user_location

if TYPE_CHECKING:
    from penstock._engine.topology.graph import Graph
    from penstock._engine.topology.topology import Topology

_LOG = logging.getLogger(__name__)

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


class Unnamed:
    """Names without the user's hand, each with the place of the verb that it belongs to."""

    def __init__(self) -> None:
        self._places: dict[str, str | None] = {}

    def append(self, name: str) -> None:
        """Note a name; it belongs to what the user is writing now."""
        self._places.setdefault(name, user_location())

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def place(self, name: str) -> str:
        """Give the user's file:line."""
        return self._places[name] or "an unknown place"


def check_names(graph: Graph, topology: Topology, *, names_required: bool) -> None:
    """Warn of each store and topic of the topology that has no name of the user's; refuse the
    program if `names_required`, for stores too that it turned out not to need, as Java does.
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
    """Give what to write so that a store or a topic has a name of the user's."""
    return next(remedy for pattern, remedy in _REMEDIES if pattern.fullmatch(name))


def _unnamed_stores(graph: Graph) -> dict[str, str]:
    """Give the stores and their places; of the buffer of `suppress`, Java notes its changelog."""
    logs = graph.unnamed_changelogs
    return {
        **{name: graph.unnamed_stores.place(name) for name in graph.unnamed_stores},
        **{name.removesuffix("-changelog"): logs.place(name) for name in logs},
        **{name: graph.unnamed_joins.place(name) for name in graph.unnamed_joins},
    }


def _warn(kind: str, name: str, consequence: str, place: str) -> None:
    _LOG.warning(
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
