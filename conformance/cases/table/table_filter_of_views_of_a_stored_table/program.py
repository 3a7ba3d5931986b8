"""Old values come down through views that have no store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", materialized=Materialized[str, str]("rows"))
    mapped = table.map_values(lambda value: value + "0")
    mapped.filter(lambda key, value: value < "35").filter_not(
        lambda key, value: value == "20"
    ).to_stream().to("out")
    mapped.to_stream().to("mapped")
    return builder.build()
