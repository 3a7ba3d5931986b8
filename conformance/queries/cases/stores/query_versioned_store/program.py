"""Versions as of a time, and all that were valid between two times."""

from collections.abc import Callable

from conformance.store_commands import versioned_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.versioned_key_value_store(
        "store", history_retention=100_000, key=text, value=text
    )
    return versioned_commands(store)
