"""A topic that is listed twice in one stream counts once."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["in", "other", "in"]).to("out")
    return builder.build()
