"""The topic of a versioned table is its changelog too."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table(
        "rows", materialized=Materialized("rows-store", history_retention=60_000)
    ).to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
