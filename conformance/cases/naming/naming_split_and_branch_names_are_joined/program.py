"""A branch is called by the name of the split and its own name or position, without a separator."""

from collections.abc import Callable

from penstock import Branched, StreamsBuilder, Topology


def put_before(name: str) -> Callable[[str], str]:
    return lambda value: f"{name} {value}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    branches = (
        builder.stream("in")
        .split(named="fruit")
        .branch(lambda key, value: value == "apple", Branched(name="Apple"))
        .branch(lambda key, value: value == "pear")
        .branch(lambda key, value: value == "plum", Branched(name="-plum"))
        .default_branch()
    )
    for name in sorted(branches):
        branches[name].map_values(put_before(name)).to("out")
    return builder.build()
