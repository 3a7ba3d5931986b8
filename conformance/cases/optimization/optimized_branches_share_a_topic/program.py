"""Branches below one change of key share a topic before the split."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    branches = (
        rekeyed.split(named="by-")
        .branch(lambda key, value: value == "x", Branched("x"))
        .default_branch(Branched("rest"))
    )
    branches["by-x"].group_by_key().count().to_stream().to("counts")
    return builder.build({"topology.optimization": "all"})
