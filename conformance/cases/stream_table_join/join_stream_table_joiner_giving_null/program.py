"""A joiner may give None; the record goes on without a value."""

from collections.abc import Callable

from penstock import KStream, KTable, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table("right")
    left.left_join(right, lambda left, right: right).to("out")
    return builder.build()
