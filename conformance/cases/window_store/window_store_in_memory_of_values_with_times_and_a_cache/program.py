"""The changelog has the times of the values, or of the record that deleted them."""

from collections.abc import Callable

from conformance.store_commands import timestamped_window_commands
from penstock import Stores, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.timestamped_window_store(
        "store",
        retention=100_000,
        window_size=1_000,
        store="in_memory",
        key=text,
        value=text,
        caching=True,
    )
    return timestamped_window_commands(store)
