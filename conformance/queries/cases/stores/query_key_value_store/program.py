"""Plain values; bounds are included, and a query for times is unknown."""

from collections.abc import Callable

from conformance.store_commands import key_value_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_key_value_store("store", key=text, value=text)
    return key_value_commands(store)
