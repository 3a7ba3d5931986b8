"""A merge of a merge has a node of its own; all three inputs arrive."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("one").map_values(lambda value: value + "!")
    two = builder.stream("two")
    three = builder.stream("three").filter(lambda key, value: value != "no")
    one.merge(two).merge(three).to("out")
    return builder.build()
