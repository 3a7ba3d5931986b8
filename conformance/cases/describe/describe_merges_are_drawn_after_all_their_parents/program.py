"""A node is drawn when all its parents are, whatever the order of the program."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    first = builder.stream("first")
    late = builder.stream("late").map_values(lambda value: value)
    first.filter(lambda key, value: True).merge(late.peek(lambda key, value: None)).to("out")
    late.merge(first).filter(lambda key, value: True).merge(builder.stream("last")).to("out")
    return builder.build()
