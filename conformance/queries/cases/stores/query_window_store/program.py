"""Windows by key or by start, never as sessions."""

from collections.abc import Callable

from conformance.store_commands import window_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_window_store(
        "store", retention=100_000, window_size=1_000, key=text, value=text
    )
    return window_commands(store)
