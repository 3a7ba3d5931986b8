"""Other optimizations leave a table its changelog."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {
    "topology.optimization": "merge.repartition.topics,single.store.self.join"
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("rows", materialized=Materialized("rows-store")).to_stream().to("out")
    return builder.build(
        {"topology.optimization": "merge.repartition.topics,single.store.self.join"}
    )
