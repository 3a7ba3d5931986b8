"""A pattern cannot match a topic that another stream reads."""

import re
from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in-1").to("out")
    builder.stream(re.compile("in-.*")).to("out")
    return builder.build()
