"""Two sources cannot have the same name."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("same", "one")
    result.add_source("same", "two")
    return result
