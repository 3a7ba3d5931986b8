"""Two aggregations of a grouping without a name have a topic each."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by(lambda key, value: value)
    grouped.count().to_stream().to("counts")
    grouped.reduce(lambda aggregate, value: aggregate + value).to_stream().to("sums")
    return builder.build()
