"""Children of one node run in the order in which the program added them, whatever their names."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    for name in ["m", "z", "a", "k", "b", "y"]:
        stream.peek(lambda key, value, name=name: log(name), named=name).to("out")
    return builder.build()
