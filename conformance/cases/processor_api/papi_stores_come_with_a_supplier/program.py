"""Stores of a supplier are added and connected with its processor; two may bring the same one."""

from collections.abc import Callable, Iterable

from penstock import Processor, Record, StoreBuilder, Stores, StreamsBuilder, Topology, serdes

STORE = Stores.in_memory_key_value_store("seen", key=serdes.string(), value=serdes.string())


class Count(Processor[str, str, str, str]):
    @staticmethod
    def stores() -> Iterable[StoreBuilder]:
        return [STORE]

    def process(self, record: Record[str, str]) -> None:
        seen = self.context.get_state_store("seen")
        before = seen.get(record.key) or ""
        seen.put(record.key, before + record.value)
        self.context.forward(record.with_value(before + record.value))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.process(Count).to("out")
    stream.process(Count).to("again")
    return builder.build()
