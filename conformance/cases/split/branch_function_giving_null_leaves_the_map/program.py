"""A function that gives null ends its branch: it has no entry in the map."""

from collections.abc import Callable

from penstock import Branched, KStream, StreamsBuilder, Topology


def to_aside(stream: KStream[str, str]) -> KStream[str, str] | None:
    stream.to("aside")
    return None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(lambda key, value: value == "x", Branched(name="aside", function=to_aside))
        .branch(lambda key, value: value == "y", Branched(name="kept"))
        .no_default_branch()
    )
    log(" ".join(sorted(branches)))
    branches["split-kept"].to("out")
    return builder.build()
