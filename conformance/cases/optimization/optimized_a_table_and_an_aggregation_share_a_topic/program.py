"""A table and an aggregation below one change of key share a topic."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.to_table(Materialized("latest")).to_stream().to("latest")
    rekeyed.group_by_key().count().to_stream().to("counts")
    return builder.build({"topology.optimization": "all"})
