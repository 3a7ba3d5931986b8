"""Two branches of a split cannot have the same name."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").split(named="split-").branch(
        lambda key, value: value == "x", Branched(name="same")
    ).branch(lambda key, value: value == "y", Branched(name="same")).no_default_branch()
    return builder.build()
