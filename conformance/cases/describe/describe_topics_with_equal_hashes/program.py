"""Topics with equal hash codes stay in the order in which they were given."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["BB", "Aa", "C", "AaBB", "BBAa", "BBBB", "AaAa"]).to("out")
    builder.stream(["polygenelubricants", "zero", "random"]).to("out")
    builder.stream(["x", "Ca", "DB", "y"]).to("out")
    return builder.build()
