"""Two sources of the low-level topology cannot read the same topic."""

from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("one", "in", "first")
    result.add_source("two", "second", "in")
    return result
