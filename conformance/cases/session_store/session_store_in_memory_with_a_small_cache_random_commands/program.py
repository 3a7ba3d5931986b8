"""Whatever comes in whatever order, on time and late."""

from collections.abc import Callable

from conformance.store_commands import session_commands
from penstock import Stores, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 700}


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.in_memory_session_store(
        "store", retention=100_000, key=text, value=text, caching=True
    )
    return session_commands(store)
