"""Both halves of a move have the headers of the record."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").group_by(lambda key, value: (value, key)).count().to_stream().to("out")
    return builder.build()
