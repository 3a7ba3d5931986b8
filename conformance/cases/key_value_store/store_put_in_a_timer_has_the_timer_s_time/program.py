"""What a timer writes is logged with the time it was fired with."""

from collections.abc import Callable

from penstock import (
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    Stores,
    StreamsBuilder,
    Topology,
    serdes,
)


class Ticking(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.store = context.get_state_store("store")
        context.schedule(
            10, PunctuationType.STREAM_TIME, lambda time: self.store.put("stream", str(time))
        )
        context.schedule(
            100, PunctuationType.WALL_CLOCK_TIME, lambda time: self.store.put("wall", str(time))
        )

    def process(self, record: Record[str, str]) -> None:
        self.store.put(record.key, record.value)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(Ticking, state_stores=["store"])
    return builder.build()
