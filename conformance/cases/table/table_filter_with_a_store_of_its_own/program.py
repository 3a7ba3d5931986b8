"""A filter's own store does not tell it what to leave out, if the table above has none."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").filter(
        lambda key, value: int(value) % 2 == 0, Materialized("even")
    ).to_stream().to("out")
    return builder.build()
