"""A processor below another one sees, and logs, the time that the one above has given."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Later(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp + 1000))
        self.context.forward(record.with_timestamp(record.timestamp + 2000))


class Keep(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("store").put(record.key, record.value)
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    stream = builder.stream("in").process(Later)
    stream.process(Keep, state_stores=["store"]).to("out")
    stream.map_values(lambda value: value + "!").to("copy")
    return builder.build()
