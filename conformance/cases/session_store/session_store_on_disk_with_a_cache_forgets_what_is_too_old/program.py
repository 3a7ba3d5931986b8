"""What is cached is dropped when it is flushed, if it is too old."""

from collections.abc import Callable

from conformance.store_commands import session_commands
from penstock import Stores, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_session_store(
        "store", retention=100_000, key=text, value=text, caching=True
    )
    return session_commands(store)
