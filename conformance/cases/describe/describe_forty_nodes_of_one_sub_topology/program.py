"""Forty nodes: the hash map has grown, and its order with it."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "ocean source",
    "lamp source ocean",
    "tiger ocean source",
    "stone tiger",
    "apple ocean",
    "river stone",
    "cloud river ocean stone",
    "music cloud river",
    "paper stone cloud tiger",
    "green stone paper",
    "light river",
    "north green",
    "sugar green",
    "table light",
    "voice green sugar",
    "water voice",
    "zebra table",
    "chair zebra",
    "dream water",
    "eagle water zebra table",
    "flame zebra eagle water",
    "grape chair water",
    "house flame",
    "island flame",
    "jungle flame",
    "knife eagle jungle",
    "lemon flame grape jungle",
    "mouse jungle",
    "night mouse knife",
    "onion island mouse",
    "piano knife lemon night",
    "queen mouse",
    "robot lemon",
    "snake mouse night",
    "train snake",
    "uncle onion",
    "violin snake",
    "whale robot uncle",
    "xenon uncle",
    "yacht train xenon",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
