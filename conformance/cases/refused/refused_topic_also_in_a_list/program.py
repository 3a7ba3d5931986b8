"""A topic of a list cannot also be read alone."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).to("out")
    builder.stream("a").to("out")
    return builder.build()
