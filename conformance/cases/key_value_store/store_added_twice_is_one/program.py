"""The same store may be added twice."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Keep(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("store").put(record.key, record.value)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    store = Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    builder.add_state_store(store).add_state_store(store)
    builder.stream("in").process(Keep, state_stores=["store"])
    return builder.build()
