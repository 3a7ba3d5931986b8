"""Whatever comes in whatever order: versions and deletions, on time and late."""

from collections.abc import Callable

from conformance.store_commands import versioned_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.versioned_key_value_store(
        "store", history_retention=50, segment_interval=10, key=text, value=text
    )
    return versioned_commands(store)
