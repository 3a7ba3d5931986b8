"""With ensure.explicit.internal.resource.naming a table without a name is refused."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").to_stream().to("out")
    return builder.build({"ensure.explicit.internal.resource.naming": True})
