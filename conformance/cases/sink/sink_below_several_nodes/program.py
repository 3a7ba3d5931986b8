"""One sink of the low-level topology may have several parents."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Add(Processor[str, str, str, str]):
    def __init__(self, letter: str) -> None:
        self.letter = letter

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(record.value + self.letter))


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_processor("a", lambda: Add("a"), "source")
    result.add_processor("b", lambda: Add("b"), "a")
    result.add_sink("sink", "out", "b", "source", "a")
    return result
