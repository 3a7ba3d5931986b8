"""The topic may hold changes that say whether they are the latest; it makes no difference."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: ("g", value), Grouped("moves"))
    groups.reduce(
        lambda total, value: total + "+" + value, lambda total, value: total + "-" + value
    ).to_stream().to("out")
    return builder.build()
