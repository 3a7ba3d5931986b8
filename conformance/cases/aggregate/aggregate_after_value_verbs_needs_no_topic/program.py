"""Verbs that keep the key need no topic before an aggregation."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    kept = (
        stream.filter(lambda key, value: True)
        .map_values(lambda value: value)
        .peek(lambda key, value: None)
    )
    kept.flat_map_values(lambda value: [value, value]).group_by_key().count().to_stream().to("out")
    return builder.build()
