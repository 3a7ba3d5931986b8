"""A window is seen for the retention after its start, by the time of the store."""

from collections.abc import Callable

from conformance.store_commands import window_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_window_store(
        "store", retention=100_000, window_size=1_000, key=text, value=text
    )
    return window_commands(store)
