"""A table with a store writes its changelog; a row has the time of its record, even if that
is older.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows")).to_stream().to("out")
    return builder.build()
