"""An aggregate always knows its old values, so a filter below it deletes only what was there."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("in").group_by_key().count()
    counts.filter(lambda key, count: count > 1).to_stream().to("often")
    counts.filter_not(lambda key, count: count > 1).to_stream().to("once")
    joined = builder.stream("in").group_by_key().reduce(lambda aggregate, value: aggregate + value)
    joined.filter(lambda key, value: len(value) == 2).to_stream().to("two")
    return builder.build()
