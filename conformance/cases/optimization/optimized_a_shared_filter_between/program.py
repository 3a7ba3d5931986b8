"""One filter between the change of key and both aggregations."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = (
        builder.stream("in")
        .select_key(lambda key, value: value)
        .filter(lambda key, value: value != "y")
    )
    rekeyed.group_by_key().count().to_stream().to("counts")
    rekeyed.group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
