"""Views without a store are looked up through the tables above them."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left").filter(lambda key, value: value != "skip")
    right = builder.table("right").filter_not(lambda key, value: value == "skip")
    shouts = right.map_values_with_key(lambda key, value: key + value.upper())
    left.map_values(lambda value: value + "!").join(shouts, joined).to_stream().to("out")
    return builder.build()
