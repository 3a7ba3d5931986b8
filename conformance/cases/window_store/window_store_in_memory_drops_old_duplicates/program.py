"""Duplicates are too old like others; no value is too old only in memory."""

from collections.abc import Callable

from conformance.store_commands import window_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.in_memory_window_store(
        "store", retention=100_000, window_size=1_000, retain_duplicates=True, key=text, value=text
    )
    return window_commands(store)
