"""An overflow flushes what was used longest ago, and all other changes with it."""

from collections.abc import Callable

from conformance.store_commands import window_commands
from penstock import Stores, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 300}


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.in_memory_window_store(
        "store", retention=100_000, window_size=1_000, key=text, value=text, caching=True
    )
    return window_commands(store)
