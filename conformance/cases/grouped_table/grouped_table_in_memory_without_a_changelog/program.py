"""Where the aggregates live makes no difference."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: (value, key))
    groups.count(Materialized("counts", store="in_memory", logging=False)).to_stream().to("out")
    return builder.build()
