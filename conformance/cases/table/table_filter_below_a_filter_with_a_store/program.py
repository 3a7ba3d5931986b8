"""A store halfway down gives old values to what is below it, not to itself."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    even = builder.table("in").filter(lambda key, value: int(value) % 2 == 0, Materialized("even"))
    even.filter(lambda key, value: value != "4").to_stream().to("out")
    even.to_stream().to("even")
    return builder.build()
