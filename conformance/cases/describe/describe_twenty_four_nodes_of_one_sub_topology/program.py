"""Twenty-four nodes with several parents; arrows depend on the order of a Java hash map."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "ocean source",
    "lamp source ocean",
    "tiger source ocean",
    "stone source lamp",
    "apple source",
    "river tiger",
    "cloud ocean lamp",
    "music river",
    "paper tiger cloud",
    "green apple",
    "light green paper apple",
    "north green paper",
    "sugar music",
    "table north",
    "voice light",
    "water light table",
    "zebra voice",
    "chair water",
    "dream table sugar chair",
    "eagle table",
    "flame eagle voice",
    "grape water eagle",
    "house eagle",
    "island grape flame eagle",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
