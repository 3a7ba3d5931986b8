"""Keys come in the order of their serialized bytes: negative numbers after positive ones."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Mine(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        store.put(int(record.value), record.key)
        self.log(" ".join(str(key) for key, value in store.all()))
        self.log(" ".join(str(key) for key, value in store.range(0, None)))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.integer(), value=serdes.string())
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
