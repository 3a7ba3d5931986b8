"""All aggregations of a grouping with a name share its topic; the numbers of the others are used
up.
"""

from collections.abc import Callable

from penstock import Grouped, Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: (value, key), Grouped("by-value"))
    groups.count(Materialized("counts")).to_stream().to("counts")
    groups.reduce(lambda total, value: value, lambda total, value: total).to_stream().to("reduced")
    groups.count(named="again").to_stream().to("again")
    return builder.build()
