"""Names with equal hash codes stay in the order in which they were added."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "BBBB source",
    "AaBB source",
    "BBAa source",
    "AaAa source",
    "low AaAa BBBB",
    "lower low AaBB",
    "BB BBAa",
    "Aa BBAa BB",
    "last Aa AaBB",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
