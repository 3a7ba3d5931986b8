"""Merged and branched streams are joined where they meet."""

from collections.abc import Callable

from penstock import Branched, JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one: KStream[str, str] = builder.stream("one")
    two: KStream[str, str] = builder.stream("two")
    branches = (
        one.merge(two)
        .split(named="split-")
        .branch(lambda key, value: value.islower(), Branched("small"))
        .default_branch(Branched("big"))
    )
    branches["split-big"].outer_join(
        branches["split-small"], pair, JoinWindows.of_time_difference(5)
    ).to("out")
    return builder.build()
