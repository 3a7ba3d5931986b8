"""The end of a window is the end of time if it would be later."""

from collections.abc import Callable

from conformance.store_commands import window_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_window_store(
        "store", retention=2**63 - 1, window_size=2**63 - 1, key=text, value=text
    )
    return window_commands(store)
