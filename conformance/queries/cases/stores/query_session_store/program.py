"""Sessions by key, never by start."""

from collections.abc import Callable

from conformance.store_commands import session_commands
from penstock import Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    store = Stores.persistent_session_store("store", retention=100_000, key=text, value=text)
    return session_commands(store)
