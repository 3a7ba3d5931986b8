"""A query says whether it wants the times of values."""

from collections.abc import Callable

from conformance.store_commands import key_value_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.timestamped_key_value_store("store", key=text, value=text)
    return key_value_commands(store)
