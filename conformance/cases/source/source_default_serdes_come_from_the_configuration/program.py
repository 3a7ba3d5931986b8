"""Without serdes in the program the configured defaults read and write."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {
    "default.key.serde": serdes.integer(),
    "default.value.serde": serdes.long(),
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map(lambda key, value: (key * 2, value * 2)).to("out")
    return builder.build()
