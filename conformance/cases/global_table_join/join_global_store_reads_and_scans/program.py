"""All that can be read of a global store by a processor that did not make it."""

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

    class Look(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            kept = self.context.get_state_store("kept")
            log(f"{kept.name} {kept.approximate_num_entries()}")
            log(" ".join(f"{key}={value}" for key, value in kept.all()))
            log(" ".join(f"{key}={value}" for key, value in kept.reverse_all()))
            log(" ".join(f"{key}={value}" for key, value in kept.range("b", "c")))

    builder.add_global_store(
        Stores.in_memory_key_value_store("kept", key=serdes.string(), value=serdes.string()),
        "right",
        Consumed(key=serdes.string(), value=serdes.string()),
        Keep,
    )
    left: KStream[str, str] = builder.stream("left")
    left.process(Look)
    return builder.build()
