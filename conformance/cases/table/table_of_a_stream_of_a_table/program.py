"""Tables and streams turn into each other; numbers go on."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    again = (
        table.to_stream()
        .filter(lambda key, value: value is not None)
        .to_table(Materialized("again"))
    )
    again.to_stream().to_table().map_values(lambda value: value + "!").to_stream().to("out")
    return builder.build()
