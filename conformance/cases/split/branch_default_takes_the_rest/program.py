"""The default branch takes what nobody accepted, nulls included."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(lambda key, value: value == "x")
        .branch(lambda key, value: key == "b")
        .default_branch()
    )
    branches["split-1"].to("x")
    branches["split-2"].to("b")
    branches["split-0"].to("rest")
    return builder.build()
