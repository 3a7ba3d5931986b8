"""A split and each of its branches use up a number, named or not."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split()
        .branch(lambda key, value: value == "x")
        .branch(lambda key, value: value == "y", Branched(name="-y"))
        .default_branch()
    )
    branches["KSTREAM-BRANCH-00000000011"].to("out")
    branches["KSTREAM-BRANCH-0000000001-y"].to("out")
    branches["KSTREAM-BRANCH-00000000010"].to("out")
    return builder.build()
