"""A sink cannot be its own parent."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_sink("sink", "out", "sink")
    return result
