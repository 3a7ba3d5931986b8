"""A filter is asked about records with a null key, a null value or both."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.filter(lambda key, value: key is None).to("keyless")
    stream.filter(lambda key, value: value is None).to("valueless")
    return builder.build()
