"""Without a default branch a record that nobody accepts vanishes and is not counted as dropped."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(lambda key, value: value == "x")
        .no_default_branch()
    )
    branches["split-1"].to("out")
    return builder.build()
