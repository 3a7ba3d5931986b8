"""A record that a dynamic sink sends to a source topic is fed back."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to(lambda key, value, context: "next" if value == "x" else "out")
    builder.stream("next").map_values(lambda value: value + "!").to("out")
    return builder.build()
