"""Sizes double at every diamond: each way counts."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "l0 source",
    "r0 source",
    "m0 r0 l0",
    "l1 m0",
    "r1 m0",
    "m1 r1 l1",
    "l2 m1",
    "r2 m1",
    "m2 r2 l2",
    "l3 m2",
    "r3 m2",
    "m3 r3 l3",
    "l4 m3",
    "r4 m3",
    "m4 r4 l4",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
