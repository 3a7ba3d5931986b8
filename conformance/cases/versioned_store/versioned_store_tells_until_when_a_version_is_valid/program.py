"""A version that was replaced or deleted has an end; the newest has none."""

from collections.abc import Callable

from conformance.store_commands import versioned_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.versioned_key_value_store(
        "store", history_retention=100_000, key=text, value=text
    )
    return versioned_commands(store)
