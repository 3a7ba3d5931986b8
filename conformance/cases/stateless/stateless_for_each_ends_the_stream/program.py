"""for_each is called for each record and gives nothing on; its siblings still see the record."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.for_each(lambda key, value: log(f"{key} is {value}"))
    stream.to("out")
    return builder.build()
