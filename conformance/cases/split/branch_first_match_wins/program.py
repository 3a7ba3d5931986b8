"""A record goes to the first branch whose predicate accepts it and to no other."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(lambda key, value: "a" in value, Branched(name="a"))
        .branch(lambda key, value: "b" in value, Branched(name="b"))
        .branch(lambda key, value: "a" in value, Branched(name="a-again"))
        .no_default_branch()
    )
    for name in sorted(branches):
        branches[name].to(name)
    return builder.build()
