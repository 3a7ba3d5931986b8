"""The shared topic has the first serdes that any of its users gave."""

from collections.abc import Callable

from penstock import Grouped, Materialized, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: len(value or ""))
    rekeyed.group_by_key().count(Materialized("counts", key=serdes.integer())).to_stream().to(
        "counts"
    )
    rekeyed.group_by_key(Grouped(key=serdes.integer())).reduce(
        lambda one, two: one + two
    ).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
