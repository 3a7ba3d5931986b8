"""A sink cannot have the name of a source."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("same", "in")
    result.add_sink("same", "out", "same")
    return result
