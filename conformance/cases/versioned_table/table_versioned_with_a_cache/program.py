"""A versioned table is never cached."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    ).to_stream().to("out")
    return builder.build()
