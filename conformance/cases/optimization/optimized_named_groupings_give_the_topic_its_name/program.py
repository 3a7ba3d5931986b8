"""The first grouping's name is that of the topic."""

from collections.abc import Callable

from penstock import Grouped, Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").map(lambda key, value: (value, value), named="rekey")
    rekeyed.group_by_key(Grouped("first")).count(Materialized("counts")).to_stream().to("counts")
    rekeyed.group_by_key(Grouped("second")).reduce(
        lambda one, two: one + two, Materialized("sums")
    ).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
