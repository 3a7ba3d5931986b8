"""Two streams of the same topics in another order share one source."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).map_values(lambda value: value + "1").to("out")
    builder.stream(["b", "a"]).map_values(lambda value: value + "2").to("out")
    return builder.build()
