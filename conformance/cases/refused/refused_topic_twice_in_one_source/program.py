"""A source of the low-level topology cannot list a topic twice."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in", "other", "in")
    return result
