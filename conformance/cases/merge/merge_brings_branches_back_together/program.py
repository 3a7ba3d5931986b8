"""Branches that were treated differently may be merged again."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(lambda key, value: value.isdigit(), Branched(name="digits"))
        .default_branch(Branched(name="words"))
    )
    digits = branches["split-digits"].map_values(lambda value: value[::-1])
    branches["split-words"].merge(digits, named="together").to("out")
    return builder.build()
