"""Descriptions to draw, by the difficulty each of them has for a picture."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import pairwise

from penstock._engine.topology.description.description import (
    GlobalStoreDescription,
    NodeDescription,
    ProcessorDescription,
    SinkDescription,
    SourceDescription,
    SubtopologyDescription,
    TopologyDescription,
)

AWKWARD = "<a & \"b\" 'c'>\nsecond line"


def subtopology(
    number: int,
    chains: Iterable[Iterable[str]],
    *,
    reads: Mapping[str, tuple[str, ...] | str],
    writes: Mapping[str, str] | None = None,
    extractors: Mapping[str, str] | None = None,
    stores: Mapping[str, tuple[str, ...]] | None = None,
) -> SubtopologyDescription:
    """Describe the nodes of `chains`; a source that reads a str reads it as a pattern."""
    below: dict[str, dict[str, None]] = {name: {} for name in reads}
    above: dict[str, dict[str, None]] = {name: {} for name in reads}
    for chain in chains:
        for tail, head in pairwise(chain):
            below.setdefault(tail, {})[head] = None
            above.setdefault(head, {})[tail] = None
            below.setdefault(head, {})
            above.setdefault(tail, {})

    def node(name: str) -> NodeDescription:
        successors, predecessors = tuple(below[name]), tuple(above[name])
        if name in reads:
            topics = reads[name]
            if isinstance(topics, str):
                return SourceDescription(name, (), topics, successors)
            return SourceDescription(name, topics, None, successors)
        if name in (writes or {}):
            return SinkDescription(name, (writes or {})[name], None, predecessors)
        if name in (extractors or {}):
            return SinkDescription(name, None, (extractors or {})[name], predecessors)
        return ProcessorDescription(name, (stores or {}).get(name, ()), successors, predecessors)

    return SubtopologyDescription(number, tuple(map(node, below)))


def topology(
    *subtopologies: SubtopologyDescription, global_stores: tuple[GlobalStoreDescription, ...] = ()
) -> TopologyDescription:
    return TopologyDescription(subtopologies, global_stores)


WORD_COUNT = topology(
    subtopology(
        0,
        [
            [
                "KSTREAM-SOURCE-0000000000",
                "KSTREAM-FLATMAPVALUES-0000000001",
                "KSTREAM-KEY-SELECT-0000000002",
                "counts-repartition-filter",
                "counts-repartition-sink",
            ]
        ],
        reads={"KSTREAM-SOURCE-0000000000": ("lines",)},
        writes={"counts-repartition-sink": "counts-repartition"},
    ),
    subtopology(
        1,
        [
            [
                "counts-repartition-source",
                "KSTREAM-AGGREGATE-0000000003",
                "KTABLE-TOSTREAM-0000000007",
                "KSTREAM-SINK-0000000008",
            ]
        ],
        reads={"counts-repartition-source": ("counts-repartition",)},
        writes={"KSTREAM-SINK-0000000008": "counts"},
        stores={"KSTREAM-AGGREGATE-0000000003": ("counts",)},
    ),
)

# A pattern, an extractor, a global store, two topics of one source, and names that need escaping.
ODDITIES = topology(
    subtopology(
        0,
        [["all", AWKWARD, "route"], ["two", AWKWARD]],
        reads={"all": "in-[0-9]+", "two": ("a", "b")},
        extractors={"route": "build.<locals>.<lambda>"},
    ),
    global_stores=(
        GlobalStoreDescription(
            1,
            SourceDescription(
                "KSTREAM-SOURCE-0000000004", ("g",), None, ("KTABLE-SOURCE-0000000005",)
            ),
            ProcessorDescription(
                "KTABLE-SOURCE-0000000005",
                ("g-STATE-STORE-0000000003",),
                (),
                ("KSTREAM-SOURCE-0000000004",),
            ),
        ),
    ),
)

FAN_OUT = topology(
    subtopology(
        0,
        [["in", "split", f"branch-{n}", f"out-{n}"] for n in range(12)],
        reads={"in": ("orders",)},
        writes={f"out-{n}": f"orders-of-region-{n}" for n in range(12)},
    )
)

# `retry` leads back to the first sub-topology, `again` to its own.
CYCLES = topology(
    subtopology(
        0,
        [["requests", "check", "to-work"], ["retries", "check"]],
        reads={"requests": ("requests",), "retries": ("retry",)},
        writes={"to-work": "work"},
    ),
    subtopology(
        1,
        [["work", "try", "done"], ["try", "give-up", "to-retry"], ["try", "loop"], ["once", "try"]],
        reads={"work": ("work",), "once": ("again",)},
        writes={"done": "results", "to-retry": "retry", "loop": "again"},
        stores={"try": ("attempts", "times"), "give-up": ("attempts",)},
    ),
)

IN_A_ROW = topology(
    *(
        subtopology(
            n,
            [[f"read-{n}", f"step-{n}", f"write-{n}"], [f"step-{n}", f"aside-{n}"]],
            reads={f"read-{n}": (f"topic-{n}",)},
            writes={f"write-{n}": f"topic-{n + 1}", f"aside-{n}": "asides"},
            stores={f"step-{n}": (f"store-{n}",)},
        )
        for n in range(4)
    )
)

APART = topology(
    *(subtopology(n, [[f"s{n}", f"p{n}"]], reads={f"s{n}": (f"t{n}",)}) for n in range(9))
)

LONG_NAMES = topology(
    subtopology(
        0,
        [["s" * 249, "W" * 249, "\u6f22\u5b57" * 60, "i" * 249]],
        reads={"s" * 249: ("m." * 124,)},
        writes={"i" * 249: "\U0001f600" * 100},
        stores={"W" * 249: ("@" * 249,)},
    )
)


def tangled(seed: int, node_count: int = 40) -> TopologyDescription:
    """Describe three sub-topologies full of merges, shared stores and arrows that skip rows."""
    chance = random.Random(seed)
    return topology(*(_tangle(chance, n, node_count // 3) for n in range(3)))


def _tangle(chance: random.Random, number: int, node_count: int) -> SubtopologyDescription:
    sources = [f"source-{number}-{n}" for n in range(2)]
    chains: list[tuple[str, str]] = []
    nodes = list(sources)
    for n in range(node_count):
        name = f"step-{number}-{n}" + "x" * chance.randrange(20)
        parents = chance.sample(nodes[-6:], min(len(nodes[-6:]), chance.choice((1, 1, 2))))
        chains += [(parent, name) for parent in parents]
        nodes.append(name)
    sinks = {f"sink-{number}-{n}": f"topic-{chance.randrange(6)}" for n in range(4)}
    chains += [(chance.choice(nodes), sink) for sink in sinks]
    stores = {name: (f"store-{chance.randrange(3)}",) for name in chance.sample(nodes[2:], 5)}
    reads = {source: (f"topic-{chance.randrange(6)}",) for source in sources}
    return subtopology(number, chains, reads=reads, writes=sinks, stores=stores)


ALL = {
    "nothing": topology(),
    "word count": WORD_COUNT,
    "oddities": ODDITIES,
    "fan out": FAN_OUT,
    "cycles": CYCLES,
    "in a row": IN_A_ROW,
    "apart": APART,
    "long names": LONG_NAMES,
    "tangled 1": tangled(1),
    "tangled 2": tangled(2),
    "tangled 3": tangled(3),
}
