"""to_table makes changes of records; it has a store only if that has a name."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to_table().to_stream().to("bare")
    stream.to_table(Materialized("rows")).to_stream().to("stored")
    stream.to_table(named="mine").filter(lambda key, value: value != "2").to_stream().to("named")
    stream.to_table(Materialized("more"), named="yours").filter(
        lambda key, value: value != "2"
    ).to_stream().to("both")
    stream.to_table(Materialized(key=serdes.string())).to_stream().to("serdes")
    return builder.build()
