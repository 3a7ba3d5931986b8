"""A global store must not be named among a processor's stores."""

from collections.abc import Callable

from penstock import Consumed, KStream, Processor, Record, Stores, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Keep(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            log(f"keep {record.key} {record.value} {self.context.task_id}")
            self.context.get_state_store("kept").put(
                record.key, record.value and record.value.upper()
            )

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
    left.process(Ask, state_stores=["kept"]).to("out")
    return builder.build()
