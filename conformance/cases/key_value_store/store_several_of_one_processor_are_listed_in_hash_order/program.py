"""The stores of a processor are described in the order of a hash set, and opened in it."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class WriteAll(Processor[str, str, str, str]):
    def __init__(self, names: list[str]) -> None:
        self.names = names

    def process(self, record: Record[str, str]) -> None:
        for name in self.names:
            self.context.get_state_store(name).put(record.key, record.value)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    names = ["zebra", "apple", "mango", "kiwi", "store-1", "store-2", "Aa", "BB"]
    for name in names:
        builder.add_state_store(
            Stores.in_memory_key_value_store(name, key=serdes.string(), value=serdes.string())
        )
    builder.stream("in").process(lambda: WriteAll(names), state_stores=names)
    return builder.build()
