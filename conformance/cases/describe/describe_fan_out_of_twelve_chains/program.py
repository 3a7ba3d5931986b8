"""Twelve children of different sizes below one source; the arrows keep the sizes of their time."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


# Each line is a processor and its parents.
NODES = [
    "kilo source",
    "alpha source",
    "alpha0 alpha",
    "alpha1 alpha0",
    "alpha2 alpha1",
    "alpha3 alpha2",
    "alpha4 alpha3",
    "lima source",
    "lima0 lima",
    "lima1 lima0",
    "lima2 lima1",
    "bravo source",
    "bravo0 bravo",
    "mike source",
    "mike0 mike",
    "mike1 mike0",
    "mike2 mike1",
    "mike3 mike2",
    "mike4 mike3",
    "mike5 mike4",
    "charlie source",
    "charlie0 charlie",
    "charlie1 charlie0",
    "charlie2 charlie1",
    "charlie3 charlie2",
    "november source",
    "november0 november",
    "november1 november0",
    "delta source",
    "oscar source",
    "oscar0 oscar",
    "oscar1 oscar0",
    "oscar2 oscar1",
    "oscar3 oscar2",
    "oscar4 oscar3",
    "echo source",
    "echo0 echo",
    "echo1 echo0",
    "echo2 echo1",
    "papa source",
    "papa0 papa",
    "foxtrot source",
    "foxtrot0 foxtrot",
    "foxtrot1 foxtrot0",
    "foxtrot2 foxtrot1",
    "foxtrot3 foxtrot2",
    "foxtrot4 foxtrot3",
    "foxtrot5 foxtrot4",
]


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for line in NODES:
        node, *parents = line.split()
        result.add_processor(node, Nothing, *parents)
    return result
