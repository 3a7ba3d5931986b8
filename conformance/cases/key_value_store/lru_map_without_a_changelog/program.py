"""It is as small without a changelog."""

from collections.abc import Callable

from conformance.store_commands import key_value_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.lru_map("store", max_entries=2, key=text, value=text, logging=False)
    return key_value_commands(store)
