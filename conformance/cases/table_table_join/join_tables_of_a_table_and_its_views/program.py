"""A table joined with its own views: a change reaches both sides, in the order they were drawn."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.left_join(table.map_values(str.upper), joined).to_stream().to("out")
    table.filter(lambda key, value: len(value) > 1).outer_join(table, joined).to_stream().to(
        "filtered"
    )
    return builder.build()
