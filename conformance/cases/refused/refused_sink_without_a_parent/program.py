"""A sink must have a parent."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_sink("sink", "out")
    return result
