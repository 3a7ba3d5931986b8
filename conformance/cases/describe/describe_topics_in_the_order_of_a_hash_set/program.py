"""The topics of a source are listed in the order of a Java hash set, not as given."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["orders"]).to("out")
    builder.stream(["pay", "bill"]).to("out")
    builder.stream(["one", "two", "three", "four", "five"]).to("out")
    return builder.build()
