"""Which nodes run together: connected by edges and by shared stores, never by topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock._engine.topology.nodes.stream_nodes import parents_of

if TYPE_CHECKING:
    from penstock._engine.topology.topology import Topology


def node_groups(topology: Topology) -> list[tuple[str, ...]]:
    """Give the groups of connected nodes: a group's id is its place in the list, its nodes in order
    of addition.
    """
    leaders = {name: name for name in topology.nodes}

    def leader(name: str) -> str:
        while leaders[name] != name:
            leaders[name] = name = leaders[leaders[name]]
        return name

    for name, node in topology.nodes.items():
        for parent in parents_of(node):
            leaders[leader(name)] = leader(parent)
    for users in topology.store_users().values():
        for user in users[1:]:
            leaders[leader(user)] = leader(users[0])

    groups: dict[str, list[str]] = {}
    for name in topology.nodes:
        groups.setdefault(leader(name), []).append(name)
    return [tuple(group) for group in groups.values()]
