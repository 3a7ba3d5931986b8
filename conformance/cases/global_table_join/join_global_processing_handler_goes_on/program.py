"""The processing handler is asked about records of a global store where the setting says so."""

from collections.abc import Callable

from penstock import Consumed, KStream, Processor, Record, Stores, StreamsBuilder, Topology, serdes
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "processing.exception.handler.global.enabled": True,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Keep(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            if record.value == "bad":
                raise ValueError(record.value)
            self.context.get_state_store("kept").put(record.key, record.value)

    class Ask(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            kept = self.context.get_state_store("kept")
            self.context.forward(record.with_value(f"{record.value} {kept.get(record.key)}"))

    builder.add_global_store(
        Stores.in_memory_key_value_store("kept", key=serdes.string(), value=serdes.string()),
        "right",
        Consumed(key=serdes.string(), value=serdes.string()),
        Keep,
    )
    left: KStream[str, str] = builder.stream("left")
    left.process(Ask).to("out")
    return builder.build()
