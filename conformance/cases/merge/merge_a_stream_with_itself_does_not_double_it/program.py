"""A stream merged with itself gives every record once: the merge has one parent."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.merge(stream).to("out")
    return builder.build()
