"""A processor below two nodes of the same source gets the record once for each way."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Add(Processor[str, str, str, str]):
    def __init__(self, letter: str) -> None:
        self.letter = letter

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(record.value + self.letter))


def topology(log: Callable[[str], None]) -> Topology:
    topology = Topology()
    topology.add_source("source", "in")
    topology.add_processor("left", lambda: Add("l"), "source")
    topology.add_processor("right", lambda: Add("r"), "source")
    topology.add_processor("both", lambda: Add("b"), "right", "left")
    topology.add_sink("sink", "out", "both")
    return topology
