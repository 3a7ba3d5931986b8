"""With a cache, the deletion of a row that is not there gives nothing; without a store it does."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows")).to_stream().to("out")
    builder.table("in2").to_stream().to("out2")
    return builder.build()
