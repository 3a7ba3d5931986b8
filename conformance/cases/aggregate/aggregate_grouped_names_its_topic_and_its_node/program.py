"""Grouped names the repartition topic, its nodes and, for group_by, the node that selects the
key.
"""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.group_by(lambda key, value: value, Grouped(name="by-value")).count().to_stream().to(
        "out"
    )
    stream.group_by_key(Grouped(name="by-key")).count().to_stream().to("out")
    rekeyed = stream.select_key(lambda key, value: value)
    rekeyed.group_by_key(Grouped(name="rekeyed")).count().to_stream().to("out")
    return builder.build()
