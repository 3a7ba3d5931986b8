"""map_values_with_key is given the key and leaves it as it was, null included."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.map_values_with_key(lambda key, value: f"{key or '-'}/{value or '-'}").to("out")
    return builder.build()
