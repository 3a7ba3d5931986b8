"""A branch named 0 has the name of the unnamed default branch."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").split(named="split-").branch(
        lambda key, value: value == "x", Branched(name="0")
    ).default_branch()
    return builder.build()
