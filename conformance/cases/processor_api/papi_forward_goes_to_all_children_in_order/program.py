"""forward gives the record to all children in the order they were added, whatever their names."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Fan(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


class Note(Processor[str, str, str, str]):
    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        self.log(f"{self.name} {record.value}")


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_processor("fan", Fan, "source")
    result.add_sink("z", "first", "fan")
    result.add_processor("m", lambda: Note("m", log), "fan")
    result.add_processor("a", lambda: Note("a", log), "fan")
    result.add_processor("k", lambda: Note("k", log), "fan")
    return result
