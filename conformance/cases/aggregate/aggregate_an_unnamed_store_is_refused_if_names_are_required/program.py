"""With ensure.explicit.internal.resource.naming a store without a name is refused."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").group_by_key().count()
    return builder.build({"ensure.explicit.internal.resource.naming": True})
