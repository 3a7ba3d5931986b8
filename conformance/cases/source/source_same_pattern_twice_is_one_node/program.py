"""Two streams of the same pattern share one source."""

import re
from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-.*")).map_values(lambda value: value + "1").to("out")
    builder.stream(re.compile("in-.*")).map_values(lambda value: value + "2").to("out")
    return builder.build()
