"""All aggregations of a grouping with a name share its topic."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by(lambda key, value: value, Grouped(name="shared"))
    grouped.count().to_stream().to("counts")
    grouped.reduce(lambda aggregate, value: aggregate + value).to_stream().to("sums")
    grouped.aggregate(lambda: "", lambda key, value, total: total + value).to_stream().to("totals")
    return builder.build()
