"""Numbers and names of the table's verbs; an unnamed Materialized burns a number."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.filter(lambda key, value: int(value) % 2 == 0).to_stream().to("out")
    table.filter(lambda key, value: int(value) % 2 == 0, named="my-filter").to_stream(
        named="my-stream"
    ).to("out")
    table.filter(lambda key, value: int(value) % 2 == 0, Materialized()).to_stream().to("out")
    table.filter(
        lambda key, value: int(value) % 2 == 0, Materialized("f-store"), named="kept"
    ).to_stream().to("out")
    table.filter_not(lambda key, value: int(value) % 2 == 0).to_stream().to("out")
    table.filter_not(
        lambda key, value: int(value) % 2 == 0, Materialized("n-store")
    ).to_stream().to("out")
    table.map_values(lambda value: value).to_stream().to("out")
    table.map_values(lambda value: value, named="mapped").to_stream().to("out")
    table.map_values(lambda value: value, Materialized(value=serdes.string())).to_stream().to("out")
    table.map_values_with_key(
        lambda key, value: key + value, Materialized("m-store")
    ).to_stream().to("out")
    return builder.build()
