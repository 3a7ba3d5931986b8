"""The map holds what the function of a branch gives, under the name of the branch."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def len_of(value: str) -> str:
    return str(len(value))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(
            lambda key, value: value == "x",
            Branched(function=lambda stream: stream.map_values(lambda value: value.upper())),
        )
        .default_branch(Branched(name="rest", function=lambda stream: stream.map_values(len_of)))
    )
    log(" ".join(sorted(branches)))
    branches["split-1"].to("x")
    branches["split-rest"].to("rest")
    return builder.build()
