"""With required names, a table that gets a store by what is below needs one that is named."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").group_by(lambda key, value: (value, key)).count(Materialized("counts"))
    return builder.build({"ensure.explicit.internal.resource.naming": True})
