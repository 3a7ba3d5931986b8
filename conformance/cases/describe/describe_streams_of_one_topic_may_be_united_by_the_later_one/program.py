"""A second stream of a topic brings its children into the sub-topology of the first."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("first")
    other = builder.stream("other")
    builder.stream("in").merge(other).to("second")
    return builder.build()
