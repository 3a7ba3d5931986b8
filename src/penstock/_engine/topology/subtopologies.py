"""Finds the sub-topologies: nodes that are connected by edges or shared stores, never by topics."""

from __future__ import annotations

from collections.abc import Mapping

from penstock._engine.topology.nodes.stream_nodes import Node, parents_of


def node_groups(
    nodes: Mapping[str, Node], store_users: Mapping[str, list[str]]
) -> list[tuple[str, ...]]:
    """Return the groups of connected nodes: a group's id is its index, its nodes are in order of
    addition. `store_users` has the processors of each store.
    """
    leaders = {name: name for name in nodes}

    def leader(name: str) -> str:
        while leaders[name] != name:
            leaders[name] = name = leaders[leaders[name]]
        return name

    for name, node in nodes.items():
        for parent in parents_of(node):
            leaders[leader(name)] = leader(parent)
    for users in store_users.values():
        for user in users[1:]:
            leaders[leader(user)] = leader(users[0])

    groups: dict[str, list[str]] = {}
    for name in nodes:
        groups.setdefault(leader(name), []).append(name)
    return [tuple(group) for group in groups.values()]
