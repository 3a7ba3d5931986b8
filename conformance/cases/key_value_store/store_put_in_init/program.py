"""What is written before the first record is logged without a time."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, Stores, StreamsBuilder, Topology, serdes


class Early(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.get_state_store("store").put("early", "1")

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(self.context.get_state_store("store").get("early")))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(Early, state_stores=["store"]).to("out")
    return builder.build()
