"""With logging disabled a table has a store and no changelog."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows", logging=False)).to_stream().to("out")
    builder.stream("in2").to_table(
        Materialized("more", logging=False, store="in_memory")
    ).to_stream().to("out")
    return builder.build()
