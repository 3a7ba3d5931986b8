"""A source must have a topic."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source")
    return result
