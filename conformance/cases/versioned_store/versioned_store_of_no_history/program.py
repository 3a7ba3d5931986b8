"""Without history only the newest version is found, or one of just now."""

from collections.abc import Callable

from conformance.store_commands import versioned_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.versioned_key_value_store("store", history_retention=0, key=text, value=text)
    return versioned_commands(store)
