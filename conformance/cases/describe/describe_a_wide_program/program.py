"""Many verbs below one stream: a program of the DSL with thirty nodes in one sub-topology."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream(["left", "right"])
    for number in range(6):
        part = stream.filter(lambda key, value: True)
        for _ in range(number):
            part = part.map_values(lambda value: value)
        part.to(f"out-{number}")
    stream.merge(stream.map_values(lambda value: value)).for_each(lambda key, value: None)
    return builder.build()
