"""A record with null key and null value passes through every stateless verb."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .filter(lambda key, value: True)
        .filter_not(lambda key, value: False)
        .map(lambda key, value: (key, value))
        .map_values(lambda value: value)
        .flat_map(lambda key, value: [(key, value)])
        .flat_map_values(lambda value: [value])
        .select_key(lambda key, value: key)
        .peek(lambda key, value: log("null" if key is None and value is None else "something"))
        .split(named="split-")
        .branch(lambda key, value: True)
        .no_default_branch()["split-1"]
        .to("out")
    )
    return builder.build()
