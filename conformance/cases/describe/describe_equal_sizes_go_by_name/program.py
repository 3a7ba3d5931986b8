"""Nodes of the same size are ordered by name, capitals before small letters."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "b source",
    "B source",
    "a source",
    "A source",
    "z source",
    "Z source",
    "1 source",
    "10 source",
    "2 source",
    "_ source",
    "a-b source",
    "a.b source",
    "ab source",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
