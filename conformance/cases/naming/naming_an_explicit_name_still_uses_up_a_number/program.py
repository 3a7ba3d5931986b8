"""A named verb uses up a number, so naming it does not renumber its neighbours."""

from collections.abc import Callable

from penstock import Consumed, Produced, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in", Consumed(name="source"))
        .map_values(lambda value: value)
        .filter(lambda key, value: True, named="filter")
        .map_values(lambda value: value)
        .select_key(lambda key, value: value, named="select")
        .peek(lambda key, value: None)
        .to("out", Produced(name="sink"))
    )
    builder.stream("late").to("out")
    return builder.build()
