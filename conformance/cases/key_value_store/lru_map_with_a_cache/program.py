"""What gives way is decided when the cache is flushed."""

from collections.abc import Callable

from conformance.store_commands import key_value_commands
from penstock import Stores, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.lru_map("store", max_entries=3, key=text, value=text, caching=True)
    return key_value_commands(store)
