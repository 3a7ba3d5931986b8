"""Windows of values with times: queries show the times."""

from collections.abc import Callable

from conformance.store_commands import timestamped_window_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.timestamped_window_store(
        "store", retention=100_000, window_size=1_000, key=text, value=text
    )
    return timestamped_window_commands(store)
