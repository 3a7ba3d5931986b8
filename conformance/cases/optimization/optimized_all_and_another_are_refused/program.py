"""All together with another is refused."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder.build({"topology.optimization": "all,merge.repartition.topics"})
