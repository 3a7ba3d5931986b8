"""Two stores must not have one name, even if they are alike."""

from collections.abc import Callable

from penstock import Stores, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    return builder.build()
