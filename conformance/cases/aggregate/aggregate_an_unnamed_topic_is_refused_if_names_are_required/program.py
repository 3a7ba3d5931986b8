"""With ensure.explicit.internal.resource.naming a topic without a name is refused."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition()
    return builder.build({"ensure.explicit.internal.resource.naming": True})
