"""The name of a branch is checked like any other."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").split(named="split-").branch(
        lambda key, value: True, Branched(name="my:branch")
    ).no_default_branch()
    return builder.build()
