"""A processor below two nodes of the same source gets the record once for each way."""

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
    result.add_processor("left", lambda: Add("l"), "source")
    result.add_processor("right", lambda: Add("r"), "source")
    result.add_processor("both", lambda: Add("b"), "right", "left")
    result.add_sink("sink", "out", "both")
    return result
