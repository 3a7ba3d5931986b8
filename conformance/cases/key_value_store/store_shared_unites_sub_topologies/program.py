"""Processors that share a store run in one task: their sub-topologies are one."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Write(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("shared").put(record.key, record.value)


class Read(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(
            record.with_value(self.context.get_state_store("shared").get(record.key))
        )


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("other").to("copy")
    builder.add_state_store(
        Stores.in_memory_key_value_store("shared", key=serdes.string(), value=serdes.string())
    )
    builder.stream("writes").process(Write, state_stores=["shared"])
    builder.stream("alone").filter(lambda key, value: True).to("copy")
    builder.stream("reads").process(Read, state_stores=["shared"]).to("out")
    return builder.build()
