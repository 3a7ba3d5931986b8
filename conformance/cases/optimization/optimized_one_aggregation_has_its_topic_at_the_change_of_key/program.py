"""Even one topic moves up to the change of key: what was between goes behind it."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.filter(lambda key, value: value != "y").group_by_key().count().to_stream().to("counts")
    return builder.build({"topology.optimization": "all"})
