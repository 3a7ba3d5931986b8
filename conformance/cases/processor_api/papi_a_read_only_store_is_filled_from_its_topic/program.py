"""A read-only store has its input topic as its changelog and writes none of its own."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, Topology, serdes


class Fill(Processor[str, str, None, None]):
    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("names").put(record.key, record.value)


class Name(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        name = self.context.get_state_store("names").get(record.key)
        self.context.forward(record.with_value(f"{record.value} {name or '-'}"))


def topology(log: Callable[[str], None]) -> Topology:
    text = serdes.string()
    names = Stores.in_memory_key_value_store("names", key=text, value=text)
    built = Topology().add_read_only_state_store(names, "rows", "names", "fill", Fill)
    built.add_source("source", "in").add_processor("name", Name, "source")
    built.connect_processor_and_state_stores("name", "names")
    return built.add_sink("sink", "out", "name")
