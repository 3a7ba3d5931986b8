"""A record of a global table must have a time of 0 or later."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.global_table("right", materialized=Materialized[str, str]("rows"))
    return builder.build()
