"""A global store in a topology that is built by hand."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    class Keep(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            self.context.get_state_store("kept").put(record.key, record.value)

    class Ask(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            found = self.context.get_state_store("kept").get(record.key)
            self.context.forward(record.with_value(f"{record.value} {found}"))

    text = serdes.string()
    store = Stores.in_memory_key_value_store("kept", key=text, value=text)
    built = Topology().add_source("source", "left", key=text, value=text)
    built.add_global_store(store, "all", "right", "keep", Keep, key=text, value=text)
    built.add_processor("ask", Ask, "source").add_sink("sink", "out", "ask", key=text, value=text)
    return built
