"""Only the aggregations of one grouping share a topic; another grouping needs another name."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").select_key(lambda key, value: value)
    stream.group_by_key(Grouped(name="shared")).count()
    stream.group_by_key(Grouped(name="shared")).count()
    return builder.build()
