"""A pattern cannot match a topic that is read by name."""

import re
from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("name", "in-1")
    result.add_source("pattern", re.compile("in-.*"))
    return result
