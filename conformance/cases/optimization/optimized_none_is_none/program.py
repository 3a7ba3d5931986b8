"""With none a table has its changelog and each aggregation its topic."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "none"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("rows", materialized=Materialized("rows-store")).to_stream().to("out")
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key().count().to_stream().to("counts")
    rekeyed.group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "none"})
