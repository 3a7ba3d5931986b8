"""A split with only a default branch passes everything."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = builder.stream("in").split(named="split-").default_branch(Branched(name="all"))
    branches["split-all"].to("out")
    return builder.build()
