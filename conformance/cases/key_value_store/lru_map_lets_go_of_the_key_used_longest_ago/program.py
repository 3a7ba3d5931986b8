"""Putting and getting is using; what gives way is deleted in the changelog."""

from collections.abc import Callable

from conformance.store_commands import key_value_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.lru_map("store", max_entries=3, key=text, value=text)
    return key_value_commands(store)
