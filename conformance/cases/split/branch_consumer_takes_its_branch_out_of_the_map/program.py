"""A branch with a consumer is drawn by it and has no entry in the map."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(lambda key, value: value == "x", Branched(consumer=lambda stream: stream.to("x")))
        .branch(lambda key, value: value == "y")
        .default_branch(Branched(name="rest", consumer=lambda stream: stream.to("rest")))
    )
    log(" ".join(sorted(branches)))
    branches["split-2"].to("y")
    return builder.build()
