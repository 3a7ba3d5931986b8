"""add_state_store connects processors by name; later connections unite what was apart."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, Topology, serdes


class Write(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("shared").put(record.key, record.value)


class Read(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(
            record.with_value(self.context.get_state_store("shared").get(record.key))
        )


def topology(log: Callable[[str], None]) -> Topology:
    store = Stores.persistent_key_value_store("shared", key=serdes.string(), value=serdes.string())
    result = Topology()
    result.add_source("one", "in").add_processor("write", Write, "one")
    result.add_source("three", "third").add_sink("copy", "copy", "three")
    result.add_source("two", "reads").add_processor("read", Read, "two").add_sink(
        "sink", "out", "read"
    )
    result.add_state_store(store, "write")
    result.connect_processor_and_state_stores("read", "shared")
    return result
