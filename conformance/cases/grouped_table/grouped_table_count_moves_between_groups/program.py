"""A row that changes its group is taken out of the old one before it comes to the new one."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").group_by(lambda key, value: (value, key)).count().to_stream().to("out")
    return builder.build()
