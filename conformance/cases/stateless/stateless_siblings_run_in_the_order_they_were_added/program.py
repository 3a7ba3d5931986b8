"""Children of one node run in the order in which the program added them, whatever their names."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def tell(name: str) -> Callable[[str, str], None]:
        return lambda key, value: log(name)

    stream = builder.stream("in")
    for name in ["m", "z", "a", "k", "b", "y"]:
        stream.peek(tell(name), named=name).to("out")
    return builder.build()
