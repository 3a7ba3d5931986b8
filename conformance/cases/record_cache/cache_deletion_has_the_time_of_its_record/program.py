"""A deletion that is flushed has the time of the record that made it, not of the row."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows")).to_stream().to("out")
    joined = (
        builder.stream("in2")
        .group_by_key()
        .reduce(
            lambda aggregate, value: None if value == "end" else aggregate + value,
            Materialized("joined"),
        )
    )
    joined.to_stream().to("out2")
    return builder.build()
