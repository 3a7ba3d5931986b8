"""A count has the time of the latest record of its key, not of the last one."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").group_by_key().count(Materialized("counts")).to_stream().to("out")
    return builder.build()
