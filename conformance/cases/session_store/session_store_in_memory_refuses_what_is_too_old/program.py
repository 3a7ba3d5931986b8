"""A put that is too old is dropped and counted; a removal is not."""

from collections.abc import Callable

from conformance.store_commands import session_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.in_memory_session_store("store", retention=100_000, key=text, value=text)
    return session_commands(store)
