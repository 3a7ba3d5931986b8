"""flat_map_values_with_key is given the key and keeps it."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map_values_with_key(
        lambda key, value: [f"{key}:{letter}" for letter in value if letter != key]
    ).to("out")
    return builder.build()
