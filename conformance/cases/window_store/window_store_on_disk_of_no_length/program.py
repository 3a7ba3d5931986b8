"""Without retention nothing is seen any more once it is put."""

from collections.abc import Callable

from conformance.store_commands import window_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_window_store(
        "store", retention=0, window_size=0, key=text, value=text
    )
    return window_commands(store)
