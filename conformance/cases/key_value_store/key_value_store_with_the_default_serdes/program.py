"""A store without serdes has the default ones of the settings."""

from collections.abc import Callable

from conformance.store_commands import key_value_commands
from penstock import Stores, Topology


def topology(log: Callable[[str], None]) -> Topology:
    return key_value_commands(Stores.persistent_key_value_store("store"))
