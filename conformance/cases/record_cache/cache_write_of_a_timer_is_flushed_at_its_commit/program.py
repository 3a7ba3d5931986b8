"""What a timer writes into a cached store is flushed at the commit after it."""

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
        context.schedule(100, PunctuationType.WALL_CLOCK_TIME, self.tick)
        context.schedule(10, PunctuationType.STREAM_TIME, self.tick)

    def tick(self, timestamp: int) -> None:
        self.store.put("tick", str(timestamp))
        self.store.put("tock", "1")
        self.store.put("tock", None)

    def process(self, record: Record[str, str]) -> None:
        self.store.put(record.key, record.value)
        self.store.put("tick", "record")


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=text, value=text, caching=True)
    )
    builder.stream("in").process(Ticking, state_stores=["store"])
    return builder.build()
