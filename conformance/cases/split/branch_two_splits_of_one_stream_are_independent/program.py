"""Two splits of the same stream each give every record one place."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.split(named="one-").branch(
        lambda key, value: value == "x", Branched(consumer=lambda branch: branch.to("one-x"))
    ).default_branch(Branched(consumer=lambda branch: branch.to("one-rest")))
    stream.split(named="two-").branch(
        lambda key, value: key == "a", Branched(consumer=lambda branch: branch.to("two-a"))
    ).no_default_branch()
    return builder.build()
