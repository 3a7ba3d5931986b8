"""A sink cannot be below a sink."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_sink("first", "out", "source")
    result.add_sink("second", "out", "first")
    return result
