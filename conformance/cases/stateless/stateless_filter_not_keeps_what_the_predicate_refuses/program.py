"""filter_not keeps exactly the records that filter drops."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.filter(lambda key, value: value is not None and value > key).to("kept")
    stream.filter_not(lambda key, value: value is not None and value > key).to("refused")
    return builder.build()
