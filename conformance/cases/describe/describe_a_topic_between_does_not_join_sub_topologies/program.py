"""Sub-topologies that only share a topic stay apart."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map_values(lambda value: value).to("between")
    builder.stream("between").filter(lambda key, value: True).to("out")
    builder.stream("out").for_each(lambda key, value: None)
    return builder.build()
