"""A branch may be split again; the names of the inner split stand alone."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    outer = (
        builder.stream("in")
        .split(named="sign-")
        .branch(lambda key, value: value.startswith("-"), Branched(name="minus"))
        .default_branch(Branched(name="plus"))
    )
    inner = (
        outer["sign-plus"]
        .split(named="size-")
        .branch(lambda key, value: len(value) > 1, Branched(name="long"))
        .default_branch(Branched(name="short"))
    )
    outer["sign-minus"].to("minus")
    inner["size-long"].to("long")
    inner["size-short"].to("short")
    return builder.build()
