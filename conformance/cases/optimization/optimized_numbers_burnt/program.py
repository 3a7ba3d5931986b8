"""The shared topic burns three numbers, after all others."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key().count()
    rekeyed.group_by_key().count()
    again = builder.stream("more").map(lambda key, value: (value, key))
    again.group_by_key().count()
    again.group_by_key().count()
    return builder.build({"topology.optimization": "all"})
