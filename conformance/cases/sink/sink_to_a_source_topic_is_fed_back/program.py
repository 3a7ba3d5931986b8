"""What is written to a topic that is also read comes back as input until it stops."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(lambda key, value: len(value) > 0).map_values(
        lambda value: value[1:]
    ).to("in")
    return builder.build()
