"""One stream of several topics is one source; records come as they arrive."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream(["b", "a", "c"])
    stream.map_values_with_key(lambda key, value: f"{key}.{value}").to("out")
    return builder.build()
