"""The parents of a node are not listed as they were given."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "c source",
    "b c",
    "a source",
    "meet a b c source",
    "other a",
    "more other",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
