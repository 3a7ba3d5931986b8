"""A node with parents in two groups makes one sub-topology of them; the others move up."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("one", "topic-1")
    result.add_source("two", "topic-2")
    result.add_source("three", "topic-3")
    result.add_processor("p-one", Nothing, "one")
    result.add_processor("p-two", Nothing, "two")
    result.add_processor("p-three", Nothing, "three")
    result.add_sink("united", "out", "p-three", "p-one")
    return result
