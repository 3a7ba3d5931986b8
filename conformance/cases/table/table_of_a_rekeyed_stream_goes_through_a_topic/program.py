"""to_table after a key change goes through a topic, named after its node."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.to_table().to_stream().to("bare")
    rekeyed.to_table(Materialized("rows")).to_stream().to("stored")
    rekeyed.to_table(Materialized("more"), named="mine").to_stream().to("named")
    return builder.build()
