"""A topic that is used again is drawn again: what was said in between comes before it."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    grouped = stream.group_by(lambda key, value: value, Grouped(name="shared"))
    grouped.count().to_stream().to("counts")
    between = builder.stream("other")
    between.group_by(lambda key, value: value).count().to_stream().to("other-counts")
    stream.filter(lambda key, value: True).to("copy")
    grouped.reduce(lambda aggregate, value: aggregate + value).to_stream().to("sums")
    builder.stream("third").to("third-copy")
    return builder.build()
