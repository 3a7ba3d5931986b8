"""The store of a mapped table knows the old values for the filter below it."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    doubled = builder.table("in").map_values(lambda value: value * 2, Materialized("doubled"))
    doubled.filter(lambda key, value: value < "33").to_stream().to("out")
    return builder.build()
