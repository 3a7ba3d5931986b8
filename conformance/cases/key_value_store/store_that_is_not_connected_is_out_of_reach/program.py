"""A processor gets only the stores that are connected to it."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Look(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("store")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(Look).to("out")
    return builder.build()
