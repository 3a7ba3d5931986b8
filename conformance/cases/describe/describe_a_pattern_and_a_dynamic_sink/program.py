"""A source with a pattern shows the pattern, a sink with a topic function only that it has one."""

import re
from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream(re.compile("in-[a-z]+|other\\.(\\d+)"))
    stream.to(lambda key, value, context: "out")
    stream.to("static")
    return builder.build()
