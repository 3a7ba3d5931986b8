"""A mapped versioned table forwards each change, with a store or without."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    table.map_values(str.upper).to_stream().to("out")
    table.map_values_with_key(lambda key, value: key + value, Materialized("kept")).to_stream().to(
        "kept"
    )
    return builder.build()
