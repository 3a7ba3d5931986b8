"""A topic cannot be read by name if a pattern reads it."""

import re
from collections.abc import Callable

from penstock import Topology


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("pattern", re.compile("in-.*"))
    result.add_source("name", "in-1")
    return result
